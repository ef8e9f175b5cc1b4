// SPDX-License-Identifier: Apache-2.0
// A cost model without a library: ridge regression on standardised features and their squares.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ttune/model/cost_model.hpp"

namespace ttune { inline namespace v0 {

/// Options of `linear_model`.
struct linear_model_options {
  double held_out = 0.2;  ///< share of the rows that selects the regularisation and judges the fit
  std::uint64_t seed = 1;
};

/// Score = predicted speed × predicted probability of success. Both are linear in the features (wide ones as log2(1 +
/// |x|)) and in their squares, so that an optimum may lie inside the range. Fitting costs n·p² for n rows and p = 2 ×
/// columns.
class linear_model final : public cost_model {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  explicit linear_model(linear_model_options options = {}) : options_(options) {}

  [[nodiscard]] std::string name() const override { return "linear"; }
  fit_report fit(feature_view features, std::span<model_target const> targets) override;
  [[nodiscard]] bool fitted() const noexcept override { return columns_ > 0; }
  void predict(feature_view features, std::span<float> scores) const override;
  [[nodiscard]] std::shared_ptr<cost_model> another() const override {
    return std::make_shared<linear_model>(options_);
  }
  [[nodiscard]] std::vector<std::byte> save() const override;
  void load(std::span<std::byte const> bytes) override;

 private:
  struct moments;
  void standardise(feature_view features);
  void expand(float const* row, double* out) const;
  [[nodiscard]] moments collect(feature_view features, std::span<model_target const> targets,
                                std::span<std::size_t const> rows) const;
  void solve(moments const& sums, double ridge);
  [[nodiscard]] float score(std::vector<double> const& z) const;

  linear_model_options options_;
  std::uint64_t columns_ = 0;
  std::vector<std::uint8_t> logarithmic_;  ///< [column]
  std::vector<double> mean_;               ///< [column] of the features, then of their squares
  std::vector<double> scale_;              ///< 1 / standard deviation; 0 for a constant column
  std::vector<double> speed_;              ///< coefficients; the last one is the constant
  std::vector<double> success_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/model/linear_model.inl.hpp"
#endif
