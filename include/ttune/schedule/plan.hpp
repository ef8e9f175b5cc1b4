// SPDX-License-Identifier: Apache-2.0
// A plan is a space made ready for replay: the program after its structural steps, every loop that the steps make,
// every access as an affine map. What is left open are numbers, which replay (schedule/replay.hpp) fills in.
#pragma once

#include "ttune/schedule/planned.hpp"

namespace ttune::inline v0 {

/// Applies the steps of a space. Throws schedule_error, naming the primitive, the loop and the fix.
[[nodiscard]] plan make_plan(space const& of);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/schedule/plan.inl.hpp"
#endif
