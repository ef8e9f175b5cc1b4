// SPDX-License-Identifier: Apache-2.0
// Chooses lane by lane where a comparison of indices differs between the lanes of a vector and is known only at run
// time, as on the diagonal of a triangle. Without this pass such a vector is computed element by element.
//
//   for k < 9                                      for k < 9
//     vectorize j < 8                         →      vectorize j < 8
//       if j < k: acc[j] += A[k, j]                    acc[j] = select(i32(j) < i32(k), acc[j] + A[k, j], acc[j])
//
// The comparison becomes one of data, and the select is marked as speculatable (speculate_selects.hpp), so that both
// arms are evaluated in all lanes. This is done only if both read inside of their buffers wherever the other parts of
// the condition hold, and divide no integers by data. Conditional stores are changed in accumulators (memory of one
// thread) only, because a store of all lanes would write elements that may belong to others.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

[[nodiscard]] ir::stmt blend_lanes(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/blend_lanes.inl.hpp"
#endif
