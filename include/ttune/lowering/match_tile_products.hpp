// SPDX-License-Identifier: Apache-2.0
// Finds products of matrices that a core computes in its registers for tiles (core/tile_product.hpp).
//
//   for ko < 8                                        tile_multiply acc[r, c] += wide(A[r, ko * 32 + k]) *
//     unroll ci < 2                                       wide(P[ko, k / 2, ci * 16 + c, k % 2]),
//       tensorize r < 16                          →     ko < 8, ci < 2, r < 16, c < 16, k < 32
//         tensorize c < 16
//           tensorize k < 32
//             acc[r, ci * 16 + c] += wide(A[r, ko * 32 + k]) * wide(P[ko, k / 2, ci * 16 + c, k % 2])
//
// The statement has the loops around the tile, too: the sums stay in registers during all of them. Three tensorized
// loops that fit no tiles become plain ones: rows one after the other, columns in lanes, terms by dot products.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

[[nodiscard]] ir::stmt match_tile_products(ir::stmt const& s, target const& machine);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/match_tile_products.inl.hpp"
#endif
