// SPDX-License-Identifier: Apache-2.0
// For LLVM: moves scratch buffers out of memory where they cannot be. Registers have no addresses, and tasks share no
// stack.
//
//   alloc a f32 (4) registers          alloc a f32 (4) local
//   for i < 4                    →     for i < 4
//     a[i] = A[i]                        a[i] = A[i]
//
//   alloc b f32 (8) local              alloc b f32 (8) workspace
//   parallel t < 8               →     parallel t < 8
//     b[t] = A[t]                        b[t] = A[t]
//
// A buffer stays in registers if each of its indices is known during emission: it depends only on unrolled and
// vectorised loops. Later passes and the emitter may assume that, that a value in registers which a loop of the machine
// passes to its next iteration exists before the loop, and that tasks use no local buffer from outside of their loop.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Places every scratch buffer where it can be; returns the same statements if nothing has to move.
[[nodiscard]] ir::stmt settle_storage(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/settle_storage.inl.hpp"
#endif
