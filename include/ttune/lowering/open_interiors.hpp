// SPDX-License-Identifier: Apache-2.0
// Gives tiles that lie inside of all boundaries code of their own, where calls give the extents: loops cannot be cut at
// places that are not known (partition.hpp).
//
//   for xo in 0..w / 16                              for xo in 0..w / 16
//     vectorize x in 0..16                             if 1 <= xo * 16 && xo * 16 + 17 <= w
//       O[…] = A[max(xo * 16 + x - 1, 0)] +     →        vectorize x in 0..16: O[…] = A[xo * 16 + x - 1] + …
//              A[min(xo * 16 + x + 1, w - 1)]          else
//                                                        the same as before
//
// A tile is the body of a loop whose inner loops are unrolled or vectorised, or belong to sums in registers; such a
// loop beside loops of other kinds is one, too. Its conditions are those of choices, of conditionals, and of indices
// that a boundary redirects, if they are affine and ask for an extent, or for the other end of the same axes. Each must
// hold for all values of the loops inside of the tile. Tiles that ask for the end of a loop only stay as they are:
// partition cuts the loop there.
//
// The first and the last tile of an axis have versions of their own, too, if there is room for both: the last one ends
// where the axis ends (shifted_tile.hpp). Which of their elements are near the boundary is known then.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

[[nodiscard]] ir::stmt open_interiors(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/open_interiors.inl.hpp"
#endif
