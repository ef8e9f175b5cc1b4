// SPDX-License-Identifier: Apache-2.0
// The keys under which measurements of a workload are stored.
#pragma once

#include <string>

#include "ttune/core/target.hpp"
#include "ttune/records/record.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/schedule/space.hpp"

namespace ttune { inline namespace v0 {

/// Returns the part of keys that names a machine: the target, its cores, and the instructions that were added to it.
[[nodiscard]] std::string target_text(target const& machine);

/// Returns the key: the program with its shapes, the space with the extents of its trials, the target with its cores,
/// and warm or cold operands.
[[nodiscard]] record_key key_of(space const& in, target const& machine, objective goal);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/record_keys.inl.hpp"
#endif
