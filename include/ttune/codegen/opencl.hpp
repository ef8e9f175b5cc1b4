// SPDX-License-Identifier: Apache-2.0
// Emits a lowered program as OpenCL C 1.2, or 2.0 if a kernel reduces by sub-group shuffles. It needs no compiler, so
// golden tests compare the text on every machine.
#pragma once

#include "ttune/codegen/device_program.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

// Entries of `target::features` for devices with cl_khr_subgroup_shuffle, and with cl_intel_required_subgroup_size.
inline constexpr char const* sub_groups_feature = "+sub-groups";
inline constexpr char const* sub_group_size_feature = "+sub-group-size";

/// Emits the program. Blocks become work-groups, threads become work-items; a parallel loop outside of them becomes
/// work-groups of one work-item. Vectorised loops become vectors of the target's width, at most 16 lanes; loops marked
/// `unrolled` are unrolled. Throws backend_error for constructs that OpenCL cannot express.
[[nodiscard]] device_program opencl(ir::lowered const& program, target const& machine);

}}}  // namespace ttune::v0::codegen

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/codegen/opencl.inl.hpp"
#endif
