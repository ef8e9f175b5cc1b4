// SPDX-License-Identifier: Apache-2.0
// Teaches a cost model the records of other workloads before its first trial.
#pragma once

#include "ttune/model/cost_model.hpp"
#include "ttune/records/store.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the model of one tuning. With transfer samples of this target and objective in the records, it is a
/// `transfer_model`: models like `given` learn the transfer samples, and `given` learns the task's own rows. A
/// `transfer_model` without a base learns the transfer samples itself. With a base, or if the model cannot be created
/// anew, it is returned as it is.
[[nodiscard]] any_cost_model warm_started_model(any_cost_model const& given, shared_store const& records,
                                                record_key const& measured_as);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/warm_started_model.inl.hpp"
#endif
