// SPDX-License-Identifier: Apache-2.0
// The default cost model: gradient-boosted trees by the xgboost library (Chen and Guestrin, KDD 2016).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ttune/model/cost_model.hpp"
#include "ttune/models/xgboost/forest.hpp"

namespace ttune { inline namespace v0 {

/// Options of `xgboost`.
struct xgboost_options {
  enum class target : std::uint8_t {
    speed,  ///< regression on normalised speed; a separate classifier learns failures
    rank    ///< AutoTVM's rank:pairwise; failures are the slowest
  };
  target objective = target::speed;
  int rounds = 150;  ///< number of trees; with patience an upper bound
  int depth = 6;
  double eta = 0.08;
  double row_share = 0.7;     ///< share of the rows that a tree uses
  double column_share = 0.4;  ///< share of the features that a tree uses
  /// With row weights between .1 and 1.1.
  double min_child_weight = 0.3;
  double speed_weight = 1;  ///< rows weigh .1 + this × speed²: fast candidates must be predicted best
  double held_out = 0.15;   ///< share of the rows that judges a first fit; the second fit uses all rows
  int patience = 0;         ///< rounds without gain on held-out rows; 0: all rounds, which ranks better on small sets
  int threads = 1;
  std::uint64_t seed = 1;
};

/// Fits through the C API, then copies the trees into flat arrays: predicting does not use the library and is
/// thread-safe, and a saved model can be loaded without xgboost. `fit` throws backend_error if the library fails.
class xgboost final : public cost_model {
 public:
  explicit xgboost(xgboost_options options = {}) : options_(options) {}

  [[nodiscard]] std::string name() const override {
    return options_.objective == xgboost_options::target::speed ? "xgboost" : "xgboost-rank";
  }
  fit_report fit(feature_view features, std::span<model_target const> targets) override;
  [[nodiscard]] bool fitted() const noexcept override { return columns_ > 0; }
  void predict(feature_view features, std::span<float> scores) const override;
  [[nodiscard]] std::shared_ptr<cost_model> another() const override { return std::make_shared<xgboost>(options_); }
  [[nodiscard]] std::vector<std::byte> save() const override;
  void load(std::span<std::byte const> bytes) override;

  [[nodiscard]] xgboost_options const& options() const noexcept { return options_; }
  /// Opens the library and says if that succeeded.
  [[nodiscard]] ttune::availability availability() const override { return library_availability(); }
  [[nodiscard]] static ttune::availability library_availability();
  /// Returns a version such as "1.7.4". Throws backend_error if the library cannot be opened.
  [[nodiscard]] static std::string library_version();

 private:
  void learn(feature_view features, std::span<model_target const> targets, std::span<std::size_t const> rows,
             std::span<std::size_t const> check, int& rounds);

  xgboost_options options_;
  std::uint64_t columns_ = 0;
  detail::forest speed_;
  detail::forest failure_;  ///< log-odds of a failure; empty: unknown
};

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/models/xgboost.inl.hpp"
#endif
