// SPDX-License-Identifier: Apache-2.0
// Normal equations and their Cholesky factorisation.
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/model/cost_model.inl.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Solves A x = b for a symmetric positive definite A in place; reads only the lower triangle of A.
inline void solve_cholesky(std::vector<double>& a, std::size_t n, std::vector<double*> const& right_sides) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j * n + j];
    }
  }
  for (double* const b : right_sides) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
      b[i] /= a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
      b[i] /= a[i * n + i];
    }
  }
}

inline double signed_log2(double x) noexcept { return x < 0 ? -std::log2(1 - x) : std::log2(1 + x); }

}  // namespace detail

/// Sums over rows that ridge regression needs for any strength of regularisation.
struct linear_model::moments {
  std::vector<double> products;      ///< over successes: Σ w z zᵀ, lower triangle; the last element of z is 1
  std::vector<double> with_speed;    ///< over successes: Σ w z speed
  std::vector<double> all_products;  ///< over all rows: Σ z zᵀ
  std::vector<double> with_success;  ///< over successes: Σ z
  double weight = 0;
  double rows = 0;
  double failures = 0;
};

/// Decides which columns are taken as logarithms, then computes mean and scale of all columns and of their squares.
void linear_model::standardise(feature_view features) {
  constexpr float wide = 64;  // features that are logarithms or shares stay below
  auto const m = features.columns;
  columns_ = m;
  logarithmic_.assign(m, 0);
  for (std::size_t i = 0; i < features.rows; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (std::abs(features.row(i)[j]) > wide) logarithmic_[j] = 1;
  mean_.assign(2 * m, 0);
  scale_.assign(2 * m, 1);
  std::vector<double> z(2 * m + 1), sums(2 * m), squares(2 * m);
  auto const n = static_cast<double>(features.rows);
  for (std::size_t const half : {std::size_t{0}, m}) {  // squares are taken of the standardised values
    for (std::size_t i = 0; i < features.rows; ++i) {
      expand(features.row(i), z.data());
      for (std::size_t j = half; j < half + m; ++j) {
        sums[j] += z[j];
        squares[j] += z[j] * z[j];
      }
    }
    for (std::size_t j = half; j < half + m; ++j) {
      mean_[j] = sums[j] / n;
      auto const variance = squares[j] / n - mean_[j] * mean_[j];
      scale_[j] = variance > 1e-9 ? 1 / std::sqrt(variance) : 0;
    }
  }
}

/// Expands a row to standardised values, their standardised squares, and 1. Far outliers are clamped: a linear function
/// would extrapolate them without limit.
void linear_model::expand(float const* row, double* out) const {
  constexpr double far = 4;
  auto const m = logarithmic_.size();
  for (std::size_t j = 0; j < m; ++j) {
    double const x = logarithmic_[j] != 0 ? detail::signed_log2(row[j]) : row[j];
    out[j] = (x - mean_[j]) * scale_[j];
    double const cut = std::clamp(out[j], -far, far);
    out[m + j] = (cut * cut - mean_[m + j]) * scale_[m + j];
  }
  out[2 * m] = 1;
}

linear_model::moments linear_model::collect(feature_view features, std::span<model_target const> targets,
                                            std::span<std::size_t const> rows) const {
  auto const p = 2 * logarithmic_.size() + 1;
  moments sums;
  sums.products.assign(p * p, 0);
  sums.all_products.assign(p * p, 0);
  sums.with_speed.assign(p, 0);
  sums.with_success.assign(p, 0);
  std::vector<double> z(p);
  for (auto const i : rows) {
    expand(features.row(i), z.data());
    double const g = targets[i].speed;
    double const share = targets[i].weight;
    double const w = targets[i].failed ? 0 : share * (0.1 + g * g);  // fast candidates must be predicted best
    sums.rows += share;
    sums.failures += targets[i].failed ? share : 0;
    sums.weight += w;
    for (std::size_t a = 0; a < p; ++a) {
      if (z[a] == 0) continue;
      sums.with_speed[a] += w * z[a] * g;
      if (!targets[i].failed) sums.with_success[a] += share * z[a];
      for (std::size_t b = 0; b <= a; ++b) {
        auto const product = z[a] * z[b];
        sums.products[a * p + b] += w * product;
        sums.all_products[a * p + b] += share * product;
      }
    }
  }
  return sums;
}

void linear_model::solve(moments const& sums, double ridge) {
  auto const p = sums.with_speed.size();
  auto const regularised = [&](std::vector<double> products, double n) {
    for (std::size_t i = 0; i + 1 < p; ++i) products[i * p + i] += ridge * n + 1e-9;
    products[p * p - 1] += 1e-9;  // the constant is not regularised
    return products;
  };
  speed_ = sums.with_speed;
  auto a = regularised(sums.products, sums.weight);
  detail::solve_cholesky(a, p, {speed_.data()});
  success_.assign(p, 0);
  success_.back() = 1;
  if (sums.failures == 0) return;
  success_ = sums.with_success;
  a = regularised(sums.all_products, sums.rows);
  detail::solve_cholesky(a, p, {success_.data()});
}

float linear_model::score(std::vector<double> const& z) const {
  double speed = 0, success = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    speed += speed_[i] * z[i];
    success += success_[i] * z[i];
  }
  // Speeds below this value are compressed, not clamped, so that the product with the probability stays ordered.
  constexpr double little = 0.05;
  if (speed < little) speed = little * std::exp(std::max(speed - little, -5.0) / little);
  return static_cast<float>(speed * std::clamp(success, 0.01, 1.0));
}

fit_report linear_model::fit(feature_view features, std::span<model_target const> targets) {
  fit_report report;
  report.rows = features.rows;
  report.failures =
      static_cast<std::size_t>(std::count_if(targets.begin(), targets.end(), [](auto const& t) { return t.failed; }));
  if (features.rows == 0 || features.columns == 0) return report;
  standardise(features);
  auto const [order, held] = hold_out(features.rows, options_.held_out, options_.seed);
  auto const rows = std::span(order);
  auto const learn = rows.first(rows.size() - held);
  auto const check = rows.last(held);
  double best_ridge = 0.1;
  if (held > 0) {
    auto const sums = collect(features, targets, learn);
    std::vector<model_target> truth;
    for (auto const i : check) truth.push_back(targets[i]);
    std::vector<float> scores(held);
    std::vector<double> z(speed_.size());
    double best = -2;
    for (double const ridge : {1.0, 0.3, 0.1, 0.03, 0.01, 0.003}) {
      solve(sums, ridge);
      z.resize(speed_.size());
      for (std::size_t i = 0; i < held; ++i) {
        expand(features.row(check[i]), z.data());
        scores[i] = score(z);
      }
      fit_report now = report;
      judge(scores, truth, now);
      if (!now.validated() || now.rank_correlation <= best) continue;
      best = now.rank_correlation;
      best_ridge = ridge;
      report = now;
    }
  }
  solve(collect(features, targets, rows), best_ridge);
  return report;
}

void linear_model::predict(feature_view features, std::span<float> scores) const {
  if (!fitted()) {
    std::fill(scores.begin(), scores.end(), 0.0F);
    return;
  }
  detail::require_columns(name(), logarithmic_.size(), features.columns);
  std::vector<double> z(speed_.size());
  for (std::size_t i = 0; i < features.rows; ++i) {
    expand(features.row(i), z.data());
    scores[i] = score(z);
  }
}

namespace detail {
inline constexpr std::uint32_t linear_model_magic = 0x314c5474;  // "tTL1"
}

std::vector<std::byte> linear_model::save() const {
  detail::byte_writer out;
  out.put(detail::linear_model_magic);
  out.put(columns_);
  out.put(logarithmic_);
  for (auto const* values : {&mean_, &scale_, &speed_, &success_}) out.put(*values);
  return out.take();
}

void linear_model::load(std::span<std::byte const> bytes) {
  detail::byte_reader in(bytes);
  linear_model read(options_);
  std::uint32_t magic = 0;
  in.get(magic);
  if (magic != detail::linear_model_magic) throw argument_error("these bytes are not a saved linear model");
  in.get(read.columns_);
  in.get(read.logarithmic_);
  for (auto* values : {&read.mean_, &read.scale_, &read.speed_, &read.success_}) in.get(*values);
  in.end();
  auto const m = read.logarithmic_.size();
  bool const empty = m == 0 && read.columns_ == 0;
  if (!empty && (read.columns_ != m || read.mean_.size() != 2 * m || read.scale_.size() != 2 * m ||
                 read.speed_.size() != 2 * m + 1 || read.success_.size() != 2 * m + 1))
    throw argument_error("a saved linear model contradicts itself");
  *this = std::move(read);
}

}}  // namespace ttune::v0
