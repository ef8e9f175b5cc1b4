// SPDX-License-Identifier: Apache-2.0
// Scores many candidates: instantiates loop nests, extracts features and runs the model in blocks that stay in the
// cache, on all workers of an executor.
#pragma once

#include <span>

#include "ttune/model/cost_model.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 {

/// Writes one score per candidate, independent of the executor. An exception of the model is rethrown; the scores are
/// undefined then.
void score_candidates(workload const& of, cost_model const& model, executor& on,
                      std::span<configuration const> candidates, std::span<float> scores);

/// Writes the scores of all opinions of the model, those of one candidate beside each other.
void score_candidates_by_each(workload const& of, cost_model const& model, executor& on,
                              std::span<configuration const> candidates, std::span<float> scores);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/scoring.inl.hpp"
#endif
