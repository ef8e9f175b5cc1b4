// SPDX-License-Identifier: Apache-2.0
// For devices with matrix instructions: finds the tensorized loops that the threads of a warp, or of four warps,
// compute together. Each thread t of 32 has rows and columns of its own:
//
//   thread t < 32                                   thread t < 32
//     tensorize r < 2                         →       warp_multiply S[r, c] += …, r < 2, c < 2, k < 16
//       tensorize c < 2
//         tensorize k < 16
//           S[r, c] += cast<f32>(As[t / 4 * 2 + r, k]) * cast<f32>(Bs[k, t % 4 * 2 + c])
//
// Emitters may assume that the machine has an instruction for the types and extents, and that all threads of the warp
// come there together. Thread 4 g + u has row index g and column index u: the left operand is equal for all u, the
// right one for all g. Which rows and columns of the program are which of the instruction is arbitrary, and so is the
// order of the terms, as long as both operands agree. Of four warps' operands, an emitter still has to check where in
// memory they lie: that depends on how indices are written.
#pragma once

#include "ttune/ir/stmt.hpp"
#include "ttune/lowering/warp_walk.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Replaces the tensorized loops in a kernel without virtual threads. Throws backend_error for those that no
/// instruction of the machine computes.
[[nodiscard]] ir::stmt match_matrix_products(ir::stmt const& s, kernel_scope const& of);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/match_matrix_products.inl.hpp"
#endif
