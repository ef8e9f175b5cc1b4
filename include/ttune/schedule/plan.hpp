// SPDX-License-Identifier: Apache-2.0
// A plan is a space prepared for instantiation: the program after its structural steps, all loops that the steps make,
// and all accesses as affine maps. Only numbers are missing, which `instantiate` (loop_nest/instantiate.hpp) fills in.
#pragma once

#include "ttune/schedule/stage_plan.hpp"

namespace ttune { inline namespace v0 {

/// Applies the steps of a space. Throws schedule_error, which names the primitive, the loop and the remedy.
[[nodiscard]] plan make_plan(space const& of);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/schedule/plan.inl.hpp"
#endif
