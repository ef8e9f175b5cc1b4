// SPDX-License-Identifier: Apache-2.0
// Splits vectorized and unrolled loops whose copies LLVM would compile for minutes: they become loops over blocks, and
// a rest. A schedule may say `vectorize` of a whole image; the code of one iteration is a block of it.
//
//                                       for x.block < 82
//   vectorize x < 21150                   vectorize x.inside < 256
//     O[x] = A[x]             →             O[x.block * 256 + x.inside] = A[x.block * 256 + x.inside]
//                                       vectorize x.inside < 158
//                                         O[20992 + x.inside] = A[20992 + x.inside]
//
// Loops that are not long by themselves may be so together: unrolled loops in each other, around many lanes, or around
// lanes that are not neighbours in memory, which are emitted one by one. They are split, too, if more than 4096
// accesses would be emitted, the inner ones first. So are tensorized loops that are longer than those of any
// instruction, and those around elements that no instruction for products has.
//
// Loops around registers keep their length, because registers have no address; so do loops with threads inside. It
// runs after settle_storage.hpp, which moves registers that would be too many.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

[[nodiscard]] ir::stmt split_long_loops(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/split_long_loops.inl.hpp"
#endif
