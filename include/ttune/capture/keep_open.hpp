// SPDX-License-Identifier: Apache-2.0
// Run-time extents that stay open in the kernel: each call gives their values, and loops end there.
//
//   C(A f32 (M, 64), B f32 (64, N)) -> C f32 (M, N)          M in [1, 512], N in [1, 1024]
// →
//   C(A f32 (M=512, 64), B f32 (64, N=1024) strided, strides i64 (…), extents i64 (2)) -> C f32 (M=512, N=1024) strided
//
// The extents that the program has then are the largest that a call may give: schedules are made for them, and buffers
// have space for them. Operands with open extents inside of the outermost one are strided, so that calls give the
// distances of their rows.
#pragma once

#include <string>
#include <vector>

#include "ttune/expr/builder.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// The name of the operand with the open extents.
inline constexpr char const* extents_name = "extents";

/// Returns the program with its run-time extents kept open within `ranges`, which may be parts of those that were
/// declared; extents that are not listed keep theirs. Throws program_error for a range that is empty or not inside of
/// the declared one, for a program without run-time extents, for an extent that no operand has, for an operand that is
/// called like the extents, and for a read that the largest extents could move out of its source.
[[nodiscard]] handle<ir::program> keep_open(handle<ir::program> const& p, std::vector<dim> const& ranges = {});

}}}  // namespace ttune::v0::capture

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/keep_open.inl.hpp"
#endif
