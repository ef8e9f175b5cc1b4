// SPDX-License-Identifier: Apache-2.0
// For devices with asynchronous copies: finds the stores that are such copies. The barriers wait for their batches.
//
//   alloc As f32 (2, 128) shared ahead         alloc As f32 (2, 128) shared ahead
//   vectorize v < 4                      →     vectorize v < 4
//     As[k % 2, t * 4 + v] = A[k, t * 4 + v]     copy_async As[k % 2, t * 4 + v] = A[k, t * 4 + v]
//   barrier, 0 pending                         barrier, 0 pending
//
// The source is an operand or a prepared buffer. The emitter chooses how many elements a copy takes at once, as it does
// for other vectorised loops; an element of less than 4 bytes that is copied alone is complete at once.
#pragma once

#include "ttune/ir/stmt.hpp"
#include "ttune/lowering/device_features.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Replaces stores in a kernel; returns the same statement if none is such a copy.
[[nodiscard]] ir::stmt start_async_copies(ir::stmt const& s, device_features const& features);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/start_async_copies.inl.hpp"
#endif
