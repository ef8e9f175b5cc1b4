// SPDX-License-Identifier: Apache-2.0
// What the records know of other workloads, as a model's knowledge before its first trial.
#pragma once

#include "ttune/records/store.hpp"
#include "ttune/tune/cost_model.hpp"

namespace ttune::inline v0::detail {

/// The model of one tuning: `given`, or, where lessons of the same target and objective are in the records, a
/// `transfer_model` of models like it that learned from those first, in which `given` learns the task's own rows. A
/// `transfer_model` without base is told; what has one, and a model of which there is no other, stays as it is.
[[nodiscard]] any_cost_model informed_model(any_cost_model const& given, shared_store const& records,
                                            record_key const& measured_as);

}  // namespace ttune::inline v0::detail

#if TTUNE_HEADER_ONLY
#include "ttune/tune/session/informed_model.inl.hpp"
#endif
