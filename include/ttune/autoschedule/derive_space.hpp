// SPDX-License-Identifier: Apache-2.0
// Derived spaces: for any program, a space of good schedules without input of the user, and a first configuration that
// is already good.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/schedule/space.hpp"

namespace ttune { inline namespace v0 {

/// Derives a space with multi-level tiling, register tiles, packed operands, fused element-wise producers and
/// consumers, reduced rows computed beside their readers, parallel outer loops and vectors (autoschedule/README.md).
/// `seed` of the result is the heuristic configuration, found from cache sizes and the number of registers.
[[nodiscard]] space derive_space(handle<ir::program> const& program, target const& machine);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/autoschedule/derive_space.inl.hpp"
#endif
