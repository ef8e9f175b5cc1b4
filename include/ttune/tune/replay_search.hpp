// SPDX-License-Identifier: Apache-2.0
// AutoTVM's loop (propose, measure, learn) on a replay device: how good is what a search has found after n trials?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ttune/tune/cost_model.hpp"
#include "ttune/tune/replay_device.hpp"
#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

struct replay_options {
  std::size_t trials = 512;  ///< answers that count: recorded and estimated ones, failures among them
  std::size_t batch = 64;    ///< trials between two fits
  std::uint64_t seed = 1;    ///< of the strategy
};

/// What a search found, trial by trial.
struct replay_curve {
  std::vector<double> best_seconds;  ///< [trial]: of the best so far; infinite before the first success
  std::size_t recorded = 0;
  std::size_t estimated = 0;  ///< answers that were no measurements: a curve with any is one of an oracle
  std::size_t unknown = 0;    ///< proposals that the device does not know: no trials, and nothing learned of them
  std::size_t failed = 0;     ///< among the trials

  /// best / (best so far after so many trials), 0 before the first success. A search that ended earlier keeps what it
  /// had.
  [[nodiscard]] double share_of(double best, std::size_t trials) const;
  /// Trials until that share of the speed of `best` was reached.
  [[nodiscard]] std::optional<std::size_t> trials_to(double best, double share) const;
};

/// Ends with the trials, when the strategy proposes nothing more, or after 64 batches in a row that the device knows
/// nothing of. A model is fitted anew after each batch, as soon as there was a success; without one (an empty
/// any_cost_model) the strategy gets no scores; one that comes fitted, or knows something before (ensemble_model),
/// scores half of the first batch, too
/// (`propose_advised`). The same arguments give the same curve. Throws argument_error for a batch of 0 or
/// without a strategy.
[[nodiscard]] replay_curve replay_search(sampler const& space, replay_device const& device, any_search search,
                                         any_cost_model model, row_writer const& features,
                                         replay_options const& options = {});

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/replay_search.inl.hpp"
#endif
