// SPDX-License-Identifier: Apache-2.0
// Conditions leave the inner loops: loops are cut into an interior, where a condition always holds, and edges, which
// become code of their own in which unrolled and vectorised parts are decided when they are emitted.
//
//   for xo in 0..4                                   xo = 0: …      (x = 0 needs no tap 0: not emitted)
//     unroll xi in 0..7                        →     for xo in 1..3: …                  no condition
//       if 0 < xo * 7 + xi + s: …                    xo = 3: …
//
// Where all that such a condition decides stands inside of a tile of registers, the choice is made there, and what
// comes before and behind it exists once.
//
// A condition without unrolled or vectorised variables shortens the innermost loop that it speaks of instead:
//
//   for r in 0..3: if 0 < y + r: …             →     for r in max(0, 1 - y)..3: …
//
// but not within a thread of a device around what it accumulates: its sums are registers, whose places are known only
// where loops have constant lengths. There the condition stays, a predicate.
//
// Within values, choices that always fall one way in the part at hand are decided.
//
// A choice between two expressions that speaks of one loop alone, as of the last tile, cuts that loop in two: each part
// has its own code.
//
//   for x in 0..4: O[x] = select(x < 3, A[x], B[x])      →     for x in 0..3: O[x] = A[x]      for x in 3..4: O[x] =
//   B[x]
//
// After it: a condition that is left over is one of a loop that is too small to cut, or not affine.
// Measured: masks or padded copies instead cost 5 to 25 points of peak on convolutions.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::pass {

[[nodiscard]] ir::stmt partition(ir::stmt const& s);

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/partition.inl.hpp"
#endif
