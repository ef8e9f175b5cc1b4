// SPDX-License-Identifier: Apache-2.0
// For devices: finds reductions over values that the threads of a warp have stored next to each other. Each thread
// computes the whole reduction by itself; the threads of a warp compute it together by exchanging their parts.
//
//   thread t < 64                            thread t < 64
//     G[t] = A[t]                              G[t] = A[t]
//     barrier                          →       barrier
//     unroll w < 32                            warp_reduce w < 32: r[0] += G[t / 32 * 32 + w]
//       r[0] += G[t / 32 * 32 + w]
//
// The parts are in shared memory, of 4 bytes or more; all threads of the warp come to the statement together and read
// the same parts. Emitters may assume that, and that the result is each thread's own.
#pragma once

#include "ttune/ir/stmt.hpp"
#include "ttune/lowering/warp_walk.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Replaces loops in a kernel without virtual threads; returns the same statement if none is such a reduction.
[[nodiscard]] ir::stmt match_warp_reductions(ir::stmt const& s, kernel_scope const& of);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/match_warp_reductions.inl.hpp"
#endif
