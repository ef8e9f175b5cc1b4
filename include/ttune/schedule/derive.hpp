// SPDX-License-Identifier: Apache-2.0
// Derived spaces: for any program, a space of good schedules with nothing written by the user, and a first
// configuration of it that is already good.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/schedule/space.hpp"

namespace ttune::inline v0 {

/// Multi-level tiling with register tiles, packing of operands, fused element-wise producers and consumers, reduced
/// rows computed beside their readers, parallel outer loops, vectors inside (schedule/derive/README.md).
/// `seed` of the result is the heuristic configuration, found from cache sizes and the register count.
[[nodiscard]] space derive_space(handle<ir::program> const& program, target const& machine);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/schedule/derive.inl.hpp"
#endif
