// SPDX-License-Identifier: Apache-2.0
// An ensemble of models of one kind, fitted to different samples of the rows; their disagreement measures uncertainty.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ttune/model/cost_model.hpp"

namespace ttune { inline namespace v0 {

/// Options of `ensemble_model`.
struct ensemble_options {
  int members = 4;
  double optimism = 1;      ///< score = mean + optimism × standard deviation of the members (upper confidence bound)
  bool by_estimate = true;  ///< before the first fit the score is -log_estimate, so that the first batch is not random
  std::uint64_t seed = 1;
};

/// A bagged ensemble (bootstrap aggregating). Rows that a member did not draw judge it, so no second fit is needed.
class ensemble_model final : public cost_model {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  /// `make` gets a different seed for each member. Throws argument_error for fewer than two members.
  explicit ensemble_model(std::function<any_cost_model(std::uint64_t seed)> make, ensemble_options options = {});

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] ttune::availability availability() const override;
  fit_report fit(feature_view features, std::span<model_target const> targets) override;
  /// Returns true after a fit, and before it if `by_estimate` is set.
  [[nodiscard]] bool fitted() const noexcept override { return learned_ || options_.by_estimate; }
  void predict(feature_view features, std::span<float> scores) const override;
  /// Writes mean and standard deviation of the members' scores, one of each per row; both are 0 before fit.
  void predict(feature_view features, std::span<float> mean, std::span<float> spread) const;
  [[nodiscard]] std::shared_ptr<cost_model> another() const override {
    return std::make_shared<ensemble_model>(make_, options_);
  }
  [[nodiscard]] std::vector<std::byte> save() const override;
  void load(std::span<std::byte const> bytes) override;

 private:
  std::function<any_cost_model(std::uint64_t seed)> make_;
  ensemble_options options_;
  std::vector<any_cost_model> members_;
  bool learned_ = false;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/model/ensemble_model.inl.hpp"
#endif
