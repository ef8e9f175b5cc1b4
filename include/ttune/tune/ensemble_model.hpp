// SPDX-License-Identifier: Apache-2.0
// Several models of one kind, each fitted to another draw of the rows: what they disagree about is not known well.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ttune/tune/cost_model.hpp"

namespace ttune::inline v0 {

struct ensemble_options {
  int members = 4;
  double optimism = 1;      ///< score: mean + this × standard deviation among the members (an upper confidence bound)
  bool by_estimate = true;  ///< before the first fit the score is -log_estimate, so that no batch is drawn blindly
  std::uint64_t seed = 1;
};

/// A bagged ensemble. Rows that a member did not draw judge it: no second fit is needed for that.
class ensemble_model final : public cost_model {
 public:
  // Virtual functions are declared inline: else each file that includes this would emit their bodies.
  /// `make` gets another seed for each member. Throws argument_error for less than two members.
  explicit ensemble_model(std::function<any_cost_model(std::uint64_t seed)> make, ensemble_options options = {});

  [[nodiscard]] TTUNE_INLINE std::string name() const override;
  [[nodiscard]] TTUNE_INLINE ttune::availability availability() const override;
  TTUNE_INLINE fit_report fit(feature_view features, std::span<model_target const> targets) override;
  /// Also before the first fit if `by_estimate` is set.
  [[nodiscard]] bool fitted() const noexcept override { return learned_ || options_.by_estimate; }
  TTUNE_INLINE void predict(feature_view features, std::span<float> scores) const override;
  /// Mean and standard deviation of the members' scores, a row each; both 0 before fit.
  TTUNE_INLINE void predict(feature_view features, std::span<float> mean, std::span<float> spread) const;
  [[nodiscard]] std::shared_ptr<cost_model> another() const override {
    return std::make_shared<ensemble_model>(make_, options_);
  }
  [[nodiscard]] TTUNE_INLINE std::vector<std::byte> save() const override;
  TTUNE_INLINE void load(std::span<std::byte const> bytes) override;

 private:
  std::function<any_cost_model(std::uint64_t seed)> make_;
  ensemble_options options_;
  std::vector<any_cost_model> members_;
  bool learned_ = false;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/ensemble_model.inl.hpp"
#endif
