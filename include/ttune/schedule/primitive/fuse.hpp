// SPDX-License-Identifier: Apache-2.0
// fuse: adjacent loops run as one.
//
//   for i in 0..A                    for f in 0..A * B
//     for j in 0..B            →       i = f / B, j = f % B
//       S[i, j]                        S[i, j]
//
// It gives a parallel loop enough iterations. A fused loop cannot be split or reordered any more.
#pragma once

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

inline void fuse(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (s.loops.size() < 2 || s.results.size() != 1) refuse(s, listed(s.loops), "takes two or more loops and one name");
  require_new_name(st, s, s.results[0]);
  auto const first = position(st, leaf(st, s, s.loops[0]));
  for (std::size_t i = 0; i < s.loops.size(); ++i) {
    auto const id = leaf(st, s, s.loops[i]);
    if (position(st, id) != first + i)
      refuse(s, s.loops[i], "is not directly inside " + s.loops[i ? i - 1 : 0] + ": reorder first");
    if (is_permuted(st, id))
      refuse(s, s.loops[i], "stands where a permutation knob puts it: fuse before that reorder, or leave it out there");
    if (st.loops[static_cast<std::size_t>(id)].kind != ir::loop_kind::serial)
      refuse(s, s.loops[i], "is not a plain loop: fuse before parallel, vectorize or unroll");
    if (is_reduction_axis(st, st.loops[static_cast<std::size_t>(id)].axis) !=
        is_reduction_axis(st, st.loops[static_cast<std::size_t>(leaf(st, s, s.loops[0]))].axis))
      refuse(s, s.loops[i], "a reduced and a free axis cannot be fused");
  }
  for (std::size_t i = 0; i + 1 < s.loops.size(); ++i)
    st.loops[static_cast<std::size_t>(st.order[first + i])].fused = true;
  st.loops[static_cast<std::size_t>(st.order[first + s.loops.size() - 1])].group = s.results[0];
}

}}}  // namespace ttune::v0::primitives
