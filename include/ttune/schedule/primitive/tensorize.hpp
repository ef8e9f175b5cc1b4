// SPDX-License-Identifier: Apache-2.0
// tensorize: the innermost loop, over terms of a sum, is one instruction of the machine, such as a dot product of four
// bytes a lane.
//
//   vectorize j                          vectorize j
//     for ki < 4                     →     tensorize ki < 4
//       C[j] += A[ki] * B[j, ki]             C[j] += A[ki] * B[j, ki]
//
// Which products there are is in core/dot_product.hpp. The terms that such an instruction takes of one operand lie side
// by side in memory, and so do those of the other for each lane. Where there is none, or where an edge leaves some of
// the terms, the loop is unrolled: the result is the same, but for the order in which floats are added.
#pragma once

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune::inline v0::primitives {

inline void tensorize(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (s.loops.size() != 1) refuse(s, listed(s.loops), "takes one loop");
  auto const id = leaf(st, s, s.loops[0]);
  auto& l = st.loops[static_cast<std::size_t>(id)];
  if (l.kind != ir::loop_kind::serial) refuse(s, s.loops[0], "this loop already runs in a way of its own");
  if (!is_reduction_axis(st, l.axis) || st.definition->reduction.kind != ir::reduction_kind::sum)
    refuse(s, s.loops[0], "this loop belongs to no summed axis: an instruction adds up the terms of one");
  if (st.order.back() != id) refuse(s, s.loops[0], "this loop has others inside of it: reorder it to be the innermost");
  l.kind = ir::loop_kind::tensorized;
  if (!s.values.empty()) l.kind_enabled = s.values[0];
}

}  // namespace ttune::inline v0::primitives
