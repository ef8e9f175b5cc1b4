// SPDX-License-Identifier: Apache-2.0
// Moves conditions out of inner loops. A loop is cut into an interior, in which a condition always holds, and edges
// with code of their own, in which conditions on unrolled and vectorised loops are decided when code is emitted.
//
//   for xo in 0..4                                   xo = 0: …      (x = 0 needs no tap 0: not emitted)
//     unroll xi in 0..7                        →     for xo in 1..3: …                  no condition
//       if 0 < xo * 7 + xi + s: …                    xo = 3: …
//
// Edges of more than three iterations are loops in which the condition stays, if the interior is three times as long.
//
// If all statements below such a condition are inside of a register tile, the cut is made around the tile, and the code
// before and after the tile exists once.
//
// A condition without unrolled or vectorised variables shortens the innermost loop whose variable it uses:
//
//   for r in 0..3: if 0 < y + r: …             →     for r in max(0, 1 - y)..3: …
//
// This is not done in a device thread around its accumulators: they are registers, and the compiler knows their places
// only if loops have constant lengths. There the condition stays, as a predicate.
//
// In values, choices with only one possible result in the current part are decided.
//
// A choice between two expressions that uses one loop variable only, such as a choice of the last tile, cuts that loop
// in two. Each part has its own code.
//
//   for x in 0..4: O[x] = select(x < 3, A[x], B[x])      →     for x in 0..3: O[x] = A[x]      for x in 3..4: O[x] =
//   B[x]
//
// If cutting would copy a large body into a few lanes at the edges, the tiles are moved inside instead
// (shifted_tiles.hpp).
//
// Loops whose ends are given by calls are not cut: open_interiors.hpp has separated their interiors.
//
// After this pass, a remaining condition belongs to a loop that is too small to cut, or is not affine. Masks or padded
// copies instead of this pass cost 5 to 25 per cent of peak on convolutions (measured).
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

[[nodiscard]] ir::stmt partition(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/partition.inl.hpp"
#endif
