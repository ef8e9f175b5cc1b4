// SPDX-License-Identifier: Apache-2.0
// Scores of many candidates: replay, features and model in pieces that stay in the cache, on all workers of an
// executor.
#pragma once

#include <span>

#include "ttune/runtime/executor.hpp"
#include "ttune/tune/cost_model.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune::inline v0 {

/// Writes one score a candidate, the same whatever the executor. What the model throws is rethrown; scores are
/// undefined then.
void score_candidates(workload const& of, cost_model const& model, executor& on,
                      std::span<configuration const> candidates, std::span<float> scores);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/scoring.inl.hpp"
#endif
