// SPDX-License-Identifier: Apache-2.0
// parallel, vectorize, unroll: set how a loop runs. With a boolean knob, choice 0 leaves it a plain loop.
//
//   for i                →   parallel i | vectorize i | unroll i
#pragma once

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

inline ir::loop_kind kind_of(step const& s) {
  switch (s.what) {
    case primitive::parallel: return ir::loop_kind::parallel;
    case primitive::vectorize: return ir::loop_kind::vectorized;
    case primitive::unroll: return ir::loop_kind::unrolled;
    default: return static_cast<ir::loop_kind>(s.values.at(0).literal);
  }
}

inline void set_kind(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  auto const kind = kind_of(s);
  for (auto const& name : s.loops) {
    auto& l = st.loops[static_cast<std::size_t>(leaf(st, s, name))];
    if (l.kind != ir::loop_kind::serial) refuse(s, name, "this loop already runs in a way of its own");
    bool const reduces = is_reduction_axis(st, l.axis);
    if (reduces && s.what != primitive::unroll)
      refuse(s, name, "this loop belongs to a reduced axis: use rfactor to make it a free one");
    if (s.what == primitive::vectorize)
      for (auto const id : st.order)
        if (st.loops[static_cast<std::size_t>(id)].kind == ir::loop_kind::vectorized)
          refuse(s, name,
                 "loop " + st.loops[static_cast<std::size_t>(id)].name +
                     " of this stage is vectorized already; one is enough");
    l.kind = kind;
    if (s.what != primitive::bind && !s.values.empty()) l.kind_enabled = s.values[0];
  }
}

/// Adds a note to a loop, which is part of the space and its key; emitters and features can find it in the steps.
inline void annotate(plan& p, step const& s) {
  if (s.loops.size() != 1 || s.results.size() != 1 || s.values.size() != 1)
    refuse(s, listed(s.loops), "takes one loop, the name of the note and its value");
  (void)leaf(stage_of(p, s), s, s.loops[0]);
}

}}}  // namespace ttune::v0::primitives
