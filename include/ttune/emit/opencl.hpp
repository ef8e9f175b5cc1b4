// SPDX-License-Identifier: Apache-2.0
// A lowered program as OpenCL C: 1.2, or 2.0 where a kernel reduces by the shuffles of sub-groups. Needs no compiler:
// the text is golden-tested anywhere.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/emit/device_program.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::emit {

// In `target::features`, what a device has: cl_khr_subgroup_shuffle, and cl_intel_required_subgroup_size beside it.
inline constexpr char const* sub_groups_feature = "+sub-groups";
inline constexpr char const* sub_group_size_feature = "+sub-group-size";

/// Blocks are work-groups, threads work-items; a parallel loop outside of them is one of groups of one work-item.
/// Vectorised loops become vectors of the target's width, 16 lanes at most; loops marked `unrolled` are unrolled.
/// Throws backend_error for what the language cannot say.
[[nodiscard]] device_program opencl(ir::lowered const& program, target const& machine);

}  // namespace ttune::inline v0::emit

#if TTUNE_HEADER_ONLY
#include "ttune/emit/opencl.inl.hpp"
#endif
