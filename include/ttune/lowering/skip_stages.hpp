// SPDX-License-Identifier: Apache-2.0
// Does not compute parts of a stage that nobody reads. If all reads of a buffer stand under conditions, as in one arm
// of a select or in the terms of a reduction, the code that computes a tile of it runs only where one of these
// conditions may hold for an element of the tile.
//
//   for P.i < 64: P[io * 64 + P.i] = f(…)            if jo * 8 <= io * 64 + 63
//   …                                        →         for P.i < 64: P[io * 64 + P.i] = f(…)
//   D[j] = select(j <= i, P[i], C[j])                …
//
// Accumulators in registers are computed in one statement with what reads them, which has three forms then:
//
//   alloc acc registers                              alloc acc registers
//     acc = …                                          if jo * 8 <= io * 8 + 7
//     D[…] = select(j <= i, acc, C[…])       →           acc = …
//                                                        if jo * 8 + 7 <= io * 8: D[…] = acc
//                                                        else: D[…] = select(j <= i, acc, C[…])
//                                                      else: D[…] = C[…]
//
// The conditions are followed through the indices: what is computed at [x, y] is needed where a read of [i, j] under
// `j <= i` can be a read of [x, y]. So the stage may be computed at a tile of its reader, in blocks, or as a whole, and
// copies of operands that serve a skipped tile only are skipped, too. This is SkipStages of Halide, for tiles.
//
// Afterwards elements of scratch may be undefined that stand only in arms of selects that are not chosen; a select
// does not evaluate them (ir/README.md). A buffer is left alone if its elements choose something (conditions, indices),
// so that a speculated arm never branches on them. Guards that would hold nearly always are not made.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Loops over blocks or threads of a device are left alone: their guards would differ between threads at barriers.
[[nodiscard]] ir::stmt skip_stages(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/skip_stages.inl.hpp"
#endif
