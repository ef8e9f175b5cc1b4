// SPDX-License-Identifier: Apache-2.0
// Cuts the innermost loops where a condition that also uses loops around them is decided for all lanes and unrolled
// iterations inside: the side of a diagonal on which it holds, the side on which it does not, and what lies on the
// diagonal. Iterations without effect vanish with their side.
//
//   for k < 100                                    for k in [c0, c1): unroll i < 8: if io * 8 + i < k: acc[i] += …
//     unroll i < 8                            →    for k in [c1, 100): unroll i < 8: acc[i] += …
//       if io * 8 + i < k: acc[i] += …
//
// where c0 = min(io * 8 + 1, 100) and c1 = min(io * 8 + 8, 100). Conditions of selects are decided in the same way:
//
//   for jo < 10                                    for jo in [0, i / 8): vectorize ji < 8: D[…] = A[…]
//     vectorize ji < 8                        →    for jo in [i / 8, …): vectorize ji < 8: D[…] = select(…)
//       D[…] = select(jo * 8 + ji < i, A[…], 0)    for jo in […, 10): vectorize ji < 8: D[…] = 0
//
// A vector outside of such a loop runs only where one of its lanes does:
//
//   vectorize ji < 8: if 56 + ji <= i: …      →    if 56 <= i: vectorize ji < 8: if 56 + ji <= i: …
//
// Iterations keep their order, and each is executed exactly once or has no effect. `partition` cuts loops at constant
// places, each of which becomes code of its own; here places are expressions, so that there are at most three loops for
// a condition. A loop is left alone if on average half of it would lie on the diagonal, or it is short. This contains
// TrimNoOps of Halide.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Loops over blocks or threads of a device are left alone: their accumulators want loops of constant lengths.
[[nodiscard]] ir::stmt split_at_diagonals(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/split_at_diagonals.inl.hpp"
#endif
