// SPDX-License-Identifier: Apache-2.0
// The time limits of one trial.
#pragma once

#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Time limits of a trial, and of its sampling.
struct trial_limits {
  double cutoff_seconds = 0;  ///< a candidate slower than this in both check runs is not sampled; 0: no limit
  double rival_seconds = 0;   ///< time of the best kernel so far: clearly slower candidates get fewer samples; 0: none
  /// Calls are repeated until a sample takes this long.
  double sample_seconds = 150e-6;
  double total_seconds = 8e-3;  ///< time budget of all samples; at least three are taken
  std::int32_t max_samples = 31;
  double hang_seconds = 10;  ///< a first run that takes longer is killed; so is one of 25 cutoffs (at least 0.15 s)
};

}}  // namespace ttune::v0
