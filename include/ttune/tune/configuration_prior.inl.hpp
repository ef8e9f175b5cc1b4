// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "ttune/feature/schema.hpp"
#include "ttune/model/transfer_model.hpp"
#include "ttune/search/search.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/tune/configuration_prior.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

template <std::size_t N>
std::vector<std::size_t> columns_of(std::array<std::string_view, N> const& groups) {
  std::vector<std::size_t> columns;
  std::size_t at = 0;
  for (auto const& g : feature_groups)
    for (int k = 0; k < g.count; ++k, ++at)
      if (std::ranges::find(groups, std::string_view(g.name)) != groups.end()) columns.push_back(at);
  return columns;
}

/// Columns that identify the task and the machine: equal for all configurations of a task.
inline std::vector<std::size_t> const& task_columns() {
  static auto const columns =
      columns_of(std::array<std::string_view, 10>{"points", "flops_per_point", "element", "reads", "reduced",
                                                  "intensity", "lanes", "vector_registers", "cores", "cache"});
  return columns;
}

/// Columns that identify a configuration, in terms that mean the same for a task of any size: the relative features of
/// transfer_model, and further columns that show choices rather than costs.
inline std::vector<std::size_t> make_choice_columns() {
  auto columns = columns_of(std::array<std::string_view, 12>{
      "unrolled_reduction", "inner_trips", "l1_depth", "l2_depth", "l3_depth", "l1_reuse", "l2_reuse",
      "l1_traffic_per_flop", "l2_traffic_per_flop", "l3_traffic_per_flop", "copied_share", "stored_share"});
  columns.insert(columns.end(), relative_columns().begin(), relative_columns().end());
  return columns;
}
inline std::vector<std::size_t> const& choice_columns() {
  static auto const columns = make_choice_columns();
  return columns;
}

/// Describes configurations of one space by their choice columns.
class described_space {
 public:
  explicit described_space(workload const& of) : work_(of) {}

  /// Appends a description of each candidate to `out`.
  void describe(std::span<configuration const> candidates, std::vector<float>& out) {
    rows_.clear();
    work_.featurise(candidates, rows_);
    for (std::size_t i = 0; i < candidates.size(); ++i) append(rows_.data() + i * work_.feature_count(), out);
  }
  static void append(float const* row, std::vector<float>& out) {
    for (auto const c : choice_columns()) out.push_back(row[c]);
  }

 private:
  workload const& work_;
  std::vector<float> rows_;
};

/// Returns the variance of one feature over many descriptions.
inline double variance(std::vector<float> const& descriptions, std::size_t column) {
  auto const width = choice_columns().size();
  auto const count = static_cast<double>(descriptions.size() / width);
  double sum = 0, squares = 0;
  for (auto i = column; i < descriptions.size(); i += width) {
    auto const x = static_cast<double>(descriptions[i]);
    sum += x;
    squares += x * x;
  }
  return std::max(0.0, squares / count - sum / count * (sum / count));
}

/// The shape that all densities share; computes how close a description is to the centre of one.
class bump_form {
 public:
  /// `within`: variances among the good configurations of a workload; `all`: variances in the space.
  bump_form(std::vector<double> const& within, std::vector<double> const& all) {
    constexpr double narrowest = 0.05;  // share of the variance of the space; in standard deviations, about a quarter
    for (std::size_t c = 0; c < all.size(); ++c)
      inverse_.push_back(all[c] > 1e-9 ? static_cast<float>(1 / (within[c] + narrowest * all[c])) : 0.0F);
  }

  /// Returns the logarithm of the likelihood, up to a constant: a Cauchy distribution in each feature.
  [[nodiscard]] double log_likelihood(float const* description, float const* top) const {
    double sum = 0;
    for (std::size_t c = 0; c < inverse_.size();) {
      float product = 1;  // product of eight factors, to save logarithms
      for (auto const end = std::min(inverse_.size(), c + 8); c < end; ++c) {
        auto const off = description[c] - top[c];
        product *= 1 + std::min(off * off * inverse_[c], 1e4F);
      }
      sum -= static_cast<double>(std::log(product));
    }
    return sum;
  }

 private:
  std::vector<float> inverse_;  ///< inverse of the squared widths; 0: the feature is constant in the space
};

/// Returns the index of the most likely description, and its likelihood.
inline std::pair<std::size_t, double> likeliest(bump_form const& form, std::vector<float> const& descriptions,
                                                float const* top) {
  auto const width = choice_columns().size();
  std::pair<std::size_t, double> best{0, -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i * width < descriptions.size(); ++i)
    if (auto const l = form.log_likelihood(descriptions.data() + i * width, top); l > best.second) best = {i, l};
  return best;
}

/// A configuration, and the logarithm of its likelihood.
struct likely_configuration {
  configuration chosen;
  double likelihood = 0;
};

/// Hill climbing among neighbours, starting at `from`.
inline likely_configuration climb(described_space& space, workload const& on, bump_form const& form,
                                  likely_configuration from, float const* top, std::size_t most_steps) {
  std::vector<float> descriptions;
  for (std::size_t step = 0; step < most_steps; ++step) {
    auto const around = on.sampler().neighbours(from.chosen);
    if (around.empty()) break;
    descriptions.clear();
    space.describe(around, descriptions);
    auto const [best, found] = likeliest(form, descriptions, top);
    if (!(found > from.likelihood)) break;
    from = {around[best], found};
  }
  return from;
}

double task_distance(float const* a, float const* b) {
  double sum = 0;
  for (auto const c : task_columns()) {
    auto const off = static_cast<double>(a[c]) - static_cast<double>(b[c]);
    sum += off * off;
  }
  return std::sqrt(sum);
}

/// A transfer sample, and the distance of its task from the requested one.
struct near_sample {
  double distance = 0;
  transfer_sample const* taught = nullptr;
};

/// Returns the transfer samples of the workloads most similar to that of `row`, nearest first.
inline std::vector<near_sample> nearest_samples(std::vector<transfer_sample> const& all, float const* row,
                                                std::size_t most) {
  std::vector<near_sample> near;
  for (auto const& l : all) near.push_back({task_distance(row, l.row(0)), &l});
  std::ranges::sort(near, {}, [](near_sample const& n) { return std::pair(n.distance, n.taught); });
  near.resize(std::min(most, near.size()));
  return near;
}

/// Returns the variance of each feature among the good configurations of one workload, as a mean over workloads.
inline std::vector<double> variances_within(std::vector<near_sample> const& transfer_samples) {
  std::vector<double> within(choice_columns().size(), 0.0);
  std::vector<float> descriptions;
  double several = 0;
  for (auto const& [distance, l] : transfer_samples) {
    if (l->size() < 2) continue;
    descriptions.clear();
    for (std::size_t i = 0; i < l->size(); ++i) described_space::append(l->row(i), descriptions);
    for (std::size_t c = 0; c < within.size(); ++c) within[c] += variance(descriptions, c);
    ++several;
  }
  for (auto& w : within) w /= std::max(1.0, several);
  return within;
}

}  // namespace detail

bool configuration_prior::learn(transfer_sample const& taught) {
  constexpr std::size_t most_tops = 4;
  if (taught.schema != feature_schema || taught.columns != feature_count || taught.size() == 0) return false;
  if (!std::ranges::all_of(taught.rows, [](float x) { return std::isfinite(x); })) return false;
  auto kept = taught;  // keeps only the rows about as fast as the best, which come first
  if (!kept.speeds.empty()) {
    kept.speeds.erase(std::ranges::find_if(kept.speeds, [](float s) { return !(s >= transfer_sample::nearly); }),
                      kept.speeds.end());
    kept.speeds.resize(std::min(kept.speeds.size(), most_tops));
    kept.rows.resize(kept.speeds.size() * kept.columns);
  }
  if (kept.size() == 0) return false;
  samples_.push_back(std::move(kept));
  return true;
}

std::vector<configuration> configuration_prior::propose(workload const& on, std::size_t count,
                                                        std::span<configuration const> known) const {
  std::vector<configuration> proposed;
  if (samples_.empty() || count == 0) return proposed;
  std::vector<configuration> drawn = {on.seed()};
  rng random(options_.seed);
  while (drawn.size() < options_.draws) drawn.push_back(on.sampler().draw(random));
  std::vector<float> task, descriptions;
  on.featurise(std::span(drawn).first(1), task);
  detail::described_space space(on);
  space.describe(drawn, descriptions);

  auto const near = detail::nearest_samples(samples_, task.data(), options_.workloads);
  std::vector<double> all;
  for (std::size_t c = 0; c < detail::choice_columns().size(); ++c) all.push_back(detail::variance(descriptions, c));
  detail::bump_form const form(detail::variances_within(near), all);

  std::vector<detail::likely_configuration> found;
  std::vector<float> top;
  for (auto const& [distance, taught] : near)
    for (std::size_t r = 0; r < taught->size(); ++r) {
      top.clear();
      detail::described_space::append(taught->row(r), top);
      auto const [start, likelihood] = detail::likeliest(form, descriptions, top.data());
      found.push_back(detail::climb(space, on, form, {drawn[start], likelihood}, top.data(), options_.most_steps));
      found.back().likelihood -= 0.5 * std::pow(distance / options_.far, 2);
    }
  std::ranges::sort(found, [](detail::likely_configuration const& a, detail::likely_configuration const& b) {
    return a.likelihood != b.likelihood ? a.likelihood > b.likelihood : a.chosen.choices < b.chosen.choices;
  });
  configuration_set taken(known.begin(), known.end());
  for (auto& f : found)
    if (proposed.size() < count && taken.insert(f.chosen).second) proposed.push_back(std::move(f.chosen));
  return proposed;
}

}}  // namespace ttune::v0
