// SPDX-License-Identifier: Apache-2.0
// All trials as a cost model learns from them: the workloads of one tuning are groups of one fit.
#pragma once

#include <memory>
#include <vector>

#include "ttune/records/store.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/tune/cost_model.hpp"
#include "ttune/tune/progress.hpp"
#include "ttune/tune/search.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune::inline v0::detail {

class learner {
 public:
  /// A model that `knows` is used as it is.
  learner(any_cost_model model, std::shared_ptr<executor> on, bool knows = false)
      : model_(std::move(model)), executor_(std::move(on)), informed_(knows) {}

  [[nodiscard]] cost_model const& model() const noexcept { return *model_; }
  /// Before the first trial: what the records know of other workloads, once (`informed_model`).
  void inform(shared_store const& records, record_key const& measured_as);
  /// Tasks are numbered from 0 on. `seconds` of one call; 0: it failed.
  void add(std::int32_t task, workload const& of, configuration const& chosen, double seconds);
  void fit();
  /// Appends trials of a task to a lesson: all, or as many from all over its speeds.
  void sample(std::int32_t task, std::size_t most, lesson& to) const;
  /// Of candidates of a workload; empty as long as the model knows nothing (it may have come with knowledge). Valid
  /// until this object ends.
  [[nodiscard]] batch_scorer scorer(workload const& of);
  /// Whether scores are backed by a trial.
  [[nodiscard]] bool has_learned() const noexcept { return has_learned_; }
  /// Rank correlation of the last fit with trials that it had not seen.
  [[nodiscard]] double validation() const noexcept { return validation_; }

 private:
  struct outcome {
    std::int32_t task;
    double seconds;
  };
  any_cost_model model_;
  std::shared_ptr<executor> executor_;  ///< candidates are scored on it
  bool informed_;
  std::vector<float> features_;  ///< one row a trial
  std::vector<outcome> outcomes_;
  std::vector<double> best_seconds_;  ///< [task]
  bool has_learned_ = false;
  double validation_ = progress::unknown;
};

}  // namespace ttune::inline v0::detail

#if TTUNE_HEADER_ONLY
#include "ttune/tune/session/learner.inl.hpp"
#endif
