// SPDX-License-Identifier: Apache-2.0
// Feeds all trials to a cost model: the workloads of one tuning are groups of one fit.
#pragma once

#include <memory>
#include <vector>

#include "ttune/model/cost_model.hpp"
#include "ttune/records/store.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/search/search.hpp"
#include "ttune/tune/progress.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class learner {
 public:
  /// `knows` is true for a model that has learned already; it scores at once.
  learner(any_cost_model model, std::shared_ptr<executor> on, bool knows = false)
      : model_(std::move(model)), executor_(std::move(on)), informed_(knows) {}

  [[nodiscard]] cost_model const& model() const noexcept { return *model_; }
  /// Teaches the model the records of other workloads, once, before the first trial (`warm_started_model`).
  void inform(shared_store const& records, record_key const& measured_as);
  /// Adds a trial. Tasks are numbered from 0 on; `seconds` is the time of one call, 0 if it failed.
  void add(std::int32_t task, workload const& of, configuration const& chosen, double seconds);
  void fit();
  /// Appends up to `most` trials of a task to a transfer sample, spread over all its speeds.
  void sample(std::int32_t task, std::size_t most, transfer_sample& to) const;
  /// Returns the scorer of candidates of a workload; empty as long as the model knows nothing (it may have started with
  /// knowledge). Valid until this object ends.
  [[nodiscard]] batch_scorer scorer(workload const& of);
  /// Returns the scorer by single opinions; without any while no trial supports them.
  [[nodiscard]] opinion_scorer opinions(workload const& of);
  /// Returns true if the model has learned from a trial.
  [[nodiscard]] bool has_learned() const noexcept { return has_learned_; }
  /// Returns the rank correlation of the last fit with trials that it had not seen.
  [[nodiscard]] double validation() const noexcept { return validation_; }

 private:
  struct outcome {
    std::int32_t task;
    double seconds;
  };
  any_cost_model model_;
  std::shared_ptr<executor> executor_;  ///< scores the candidates
  bool informed_;
  std::vector<float> features_;  ///< one row per trial
  std::vector<outcome> outcomes_;
  std::vector<double> best_seconds_;  ///< best time of each task
  bool has_learned_ = false;
  double validation_ = progress::unknown;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/learner.inl.hpp"
#endif
