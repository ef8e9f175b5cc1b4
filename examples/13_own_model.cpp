// SPDX-License-Identifier: Apache-2.0
// A user-defined cost model: the speed of a candidate is that of its nearest neighbours among the trials. The tuner
// fits it after each batch and queries it for thousands of candidates. Here the interpreter's backend computes the
// costs of trials, so that nothing needs to be installed and each run is the same; with orc_backend they are compiled
// and timed.
#include <ttune/ops/matmul.hpp>
#include <ttune/runtime/interpreter_backend.hpp>
#include <ttune/search/evolutionary.hpp>
#include <ttune/ttune.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

namespace {

/// Predicts the mean of the k nearest trials; distances are in standard deviations of each feature.
class nearest_neighbours final : public ttune::cost_model {
 public:
  explicit nearest_neighbours(std::size_t k = 3) : k_(k) {}

  [[nodiscard]] std::string name() const override { return "nearest neighbours"; }
  [[nodiscard]] bool fitted() const noexcept override { return !speeds_.empty(); }

  ttune::fit_report fit(ttune::feature_view features, std::span<ttune::model_target const> targets) override {
    columns_ = features.columns;
    ttune::fit_report report;
    report.rows = features.rows;
    auto const [order, held] = ttune::hold_out(features.rows, 0.25, 1);  // held-out rows judge the fit
    learn(features, targets, std::span(order).first(order.size() - held));
    std::vector<float> scores;
    std::vector<ttune::model_target> truth;
    for (auto const i : std::span(order).last(held)) {
      scores.push_back(score(features.row(i)));
      truth.push_back(targets[i]);
    }
    ttune::judge(scores, truth, report);
    report.held_out = held;
    if (held > 0) learn(features, targets, order);
    return report;
  }

  /// Thread-safe. Higher is better; only the order counts.
  void predict(ttune::feature_view features, std::span<float> scores) const override {
    if (fitted() && features.columns != columns_) throw ttune::argument_error("other features than those of fit");
    for (std::size_t i = 0; i < features.rows; ++i) scores[i] = fitted() ? score(features.row(i)) : 0;
  }

  [[nodiscard]] std::vector<std::byte> save() const override {
    std::vector<float> all = {static_cast<float>(columns_), static_cast<float>(speeds_.size())};
    for (auto const* const part : {&scale_, &speeds_, &rows_}) all.insert(all.end(), part->begin(), part->end());
    std::vector<std::byte> bytes(all.size() * sizeof(float));
    std::memcpy(bytes.data(), all.data(), bytes.size());
    return bytes;
  }
  void load(std::span<std::byte const> bytes) override {
    std::vector<float> all(bytes.size() / sizeof(float));
    std::memcpy(all.data(), bytes.data(), all.size() * sizeof(float));
    auto const columns = all.size() < 2 ? 0 : static_cast<std::size_t>(all[0]);
    auto const rows = all.size() < 2 ? 0 : static_cast<std::size_t>(all[1]);
    if (all.size() < 2 || all.size() != 2 + columns + rows + rows * columns)
      throw ttune::argument_error("these bytes are no saved nearest neighbours");
    auto at = all.begin() + 2;
    auto const take = [&at](std::size_t count) {
      auto const from = at;
      at += static_cast<std::ptrdiff_t>(count);
      return std::vector<float>(from, at);
    };
    columns_ = columns;
    scale_ = take(columns);
    speeds_ = take(rows);
    rows_ = take(rows * columns);
  }

 private:
  void learn(ttune::feature_view features, std::span<ttune::model_target const> targets,
             std::span<std::size_t const> which) {
    rows_.clear();
    speeds_.clear();
    for (auto const i : which) {
      rows_.insert(rows_.end(), features.row(i), features.row(i) + columns_);
      speeds_.push_back(targets[i].speed);  // 0 for a failure
    }
    scale_.assign(columns_, 0);
    for (std::size_t c = 0; c < columns_; ++c) {
      float sum = 0, squares = 0;
      for (auto at = c; at < rows_.size(); at += columns_) sum += rows_[at], squares += rows_[at] * rows_[at];
      auto const n = static_cast<float>(speeds_.size());
      auto const variance = squares / n - sum / n * (sum / n);
      scale_[c] = variance > 1e-6F ? 1 / std::sqrt(variance) : 0;
    }
  }

  [[nodiscard]] float score(float const* row) const {
    std::vector<std::pair<float, float>> near;  // distance, speed
    for (std::size_t i = 0; i < speeds_.size(); ++i) {
      float distance = 0;
      for (std::size_t c = 0; c < columns_; ++c) {
        auto const off = (row[c] - rows_[i * columns_ + c]) * scale_[c];
        distance += off * off;
      }
      near.emplace_back(distance, speeds_[i]);
    }
    auto const k = static_cast<std::ptrdiff_t>(std::min(k_, near.size()));
    std::partial_sort(near.begin(), near.begin() + k, near.end());
    float sum = 0, weights = 0;
    for (auto i = near.begin(); i != near.begin() + k; ++i) {
      sum += i->second / (1 + i->first);
      weights += 1 / (1 + i->first);
    }
    return sum / weights;
  }

  std::size_t k_;
  std::size_t columns_ = 0;
  std::vector<float> rows_, speeds_, scale_;
};

}  // namespace

int main() {
  double last_validation = 0;
  // [use]
  ttune::tuner tuner{ttune::interpreter_backend{},
                     {.model = nearest_neighbours{3},
                      .search = ttune::evolutionary_search({.population = 128}),
                      .batch = 16,
                      .on_progress = [&](ttune::progress const& p) {
                        if (p.model_validation == p.model_validation)
                          last_validation = p.model_validation;  // NaN if unknown
                      }}};
  auto const product = tuner.tune(ttune::ops::matmul(12, 16, 20), {.trials = 96});
  // [/use]
  std::cout << product.report() << "rank correlation with trials that the model had not seen: " << last_validation
            << "\n";

  std::vector<float> const a(12 * 20, 0.5F), b(20 * 16, 3);
  std::vector<float> c(12 * 16);
  product(a, b, c);
  bool const right = std::ranges::all_of(c, [](float x) { return x == 30; });
  return right && last_validation > 0.3 && product.report().gain > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
