// SPDX-License-Identifier: Apache-2.0
// A cost model with knowledge from other tasks: other shapes, operators or machines.
//
//   transfer_model model([] { return any_cost_model(xgboost{}); });
//   model.learn_base(rows_of_other_tasks, their_targets);   // each task a group
//   tuner_options{.model = std::move(model)}                // scores from the first trial on
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ttune/model/cost_model.hpp"

namespace ttune { inline namespace v0 {

/// Returns the analytic estimate in a row of feature_extractor: log2 of the time relative to the ideal. Needs no
/// records.
[[nodiscard]] float log_estimate(float const* row);

/// Makes models of one kind.
using model_maker = std::function<any_cost_model()>;

/// Options of `transfer_model`.
struct transfer_options {
  double base_weight = 3;   ///< total weight of the rows of other tasks, relative to that of the task's own rows
  double own_share = 0.2;   ///< share of the score that comes from the model of the own rows alone
  double correction = 0.5;  ///< share of the learned correction of the estimate that is applied without own rows
  /// If there are more, this number is drawn at random.
  std::size_t most_base_rows = 4000;
  /// With more own rows, only those are used: other rows add little then, and take time.
  std::size_t most_own_rows = 512;
  std::uint64_t seed = 1;
};

/// A cost model that combines knowledge from other tasks with the task's own rows. Without own rows, the score is the
/// analytic estimate times a correction, which was learned on other tasks from the features that do not depend on a
/// task's size. With own rows, it is a model of all rows, in which those of other tasks weigh less as the own ones
/// become more, combined with a model of the own rows alone. If held-out own rows contradict the other tasks, only own
/// rows are used. Needs rows of feature_extractor.
class transfer_model final : public cost_model {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  /// `own` learns the task's own rows; if empty, a model from `make` does.
  explicit transfer_model(model_maker make, transfer_options options = {}, any_cost_model own = {});

  /// Learns from rows of feature_extractor for other tasks, each task a group of its own. Replaces what was learned
  /// before. Throws argument_error for rows of another length.
  void learn_base(feature_view features, std::span<model_target const> targets);
  [[nodiscard]] std::size_t base_rows() const noexcept { return base_targets_.size(); }

  [[nodiscard]] std::string name() const override { return "transfer(" + joint_->name() + ")"; }
  [[nodiscard]] ttune::availability availability() const override { return joint_->availability(); }
  fit_report fit(feature_view features, std::span<model_target const> targets) override;
  [[nodiscard]] bool fitted() const noexcept override { return has_base_ || has_own_; }
  void predict(feature_view features, std::span<float> scores) const override;
  [[nodiscard]] std::size_t opinions() const noexcept override {
    return has_own_ && (!trusts_base_ || joint_->opinions() == own_->opinions()) ? own_->opinions() : 1;
  }
  void predict_each(feature_view features, std::span<float> scores) const override;
  [[nodiscard]] std::vector<std::byte> save() const override;
  void load(std::span<std::byte const> bytes) override;

 private:
  void fit_correction();
  void fit_joint(feature_view features, std::span<model_target const> targets);
  void predict_joint(feature_view features, std::span<float> scores, bool each) const;
  void predict_own_and_joint(feature_view features, std::span<float> scores, bool each) const;
  [[nodiscard]] bool base_helps(feature_view features, std::span<model_target const> targets);
  void predict_corrected(feature_view features, std::span<float> scores) const;

  model_maker make_;
  transfer_options options_;
  any_cost_model correction_, joint_, own_;
  std::vector<float> base_;  ///< feature rows of other tasks
  std::vector<model_target> base_targets_;
  bool has_base_ = false;
  bool has_own_ = false;
  bool trusts_base_ = false;  ///< held-out own rows do not contradict the base
};

namespace detail {

/// Returns the columns that mean the same for a task of any size: ratios, conflicts, occupancy, parts of the estimate.
[[nodiscard]] std::vector<std::size_t> const& relative_columns();

}  // namespace detail
}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/model/transfer_model.inl.hpp"
#endif
