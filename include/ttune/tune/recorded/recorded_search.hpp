// SPDX-License-Identifier: Apache-2.0
// AutoTVM's loop (propose, measure, learn) on a simulated device: shows what a search has found after n trials.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ttune/model/cost_model.hpp"
#include "ttune/search/search.hpp"
#include "ttune/tune/recorded/recorded_device.hpp"

namespace ttune { inline namespace v0 {

/// Options of `recorded_search`.
struct recorded_search_options {
  std::size_t trials = 512;  ///< number of answers that count as trials: recorded and estimated ones, failures included
  std::size_t batch = 64;    ///< trials between two fits
  std::uint64_t seed = 1;    ///< seed of the strategy
};

/// The best time that a search found, trial by trial.
struct recorded_curve {
  std::vector<double> best_seconds;  ///< [trial] best time so far; infinite before the first success
  std::size_t recorded = 0;
  /// Number of answers from the estimate; if not 0, the curve is not based on measurements alone.
  std::size_t estimated = 0;
  /// Proposals that the device does not know; they are not trials, and nothing is learned from them.
  std::size_t unknown = 0;
  std::size_t failed = 0;  ///< failures among the trials

  /// Returns best / (best time after `trials` trials), 0 before the first success. A search that ended earlier keeps
  /// its result.
  [[nodiscard]] double share_of(double best, std::size_t trials) const;
  /// Returns the number of trials until that share of the speed of `best` was reached.
  [[nodiscard]] std::optional<std::size_t> trials_to(double best, double share) const;
};

/// Runs a search. It ends after `options.trials` trials, when the strategy proposes nothing more, or after 64
/// consecutive batches without a known configuration. The model is fitted again after each batch, starting with the
/// first success. Without a model (an empty any_cost_model) the strategy gets no scores. A model that is fitted
/// already, or can predict before it is fitted (ensemble_model), also scores half of the first batch
/// (`propose_advised`). The same arguments give the same curve. Throws argument_error for a batch size of 0 or without
/// a strategy.
[[nodiscard]] recorded_curve recorded_search(sampler const& space, recorded_device const& device, any_search search,
                                             any_cost_model model, row_writer const& features,
                                             recorded_search_options const& options = {});

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/recorded/recorded_search.inl.hpp"
#endif
