// SPDX-License-Identifier: Apache-2.0
// Kinds of loops: what parallel, vectorize, unroll and bind set, and which kinds belong to devices with blocks.
#pragma once

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

[[nodiscard]] inline bool is_block(ir::loop_kind k) {
  return k >= ir::loop_kind::block_x && k <= ir::loop_kind::block_z;
}
[[nodiscard]] inline bool is_thread(ir::loop_kind k) { return k >= ir::loop_kind::thread_x; }
[[nodiscard]] inline bool is_bound(ir::loop_kind k) { return is_block(k) || is_thread(k); }
/// Returns true for loops whose iterations run in parallel on a CPU.
[[nodiscard]] inline bool is_at_once(ir::loop_kind k) {
  return k == ir::loop_kind::parallel || k == ir::loop_kind::vectorized;
}

/// Returns true if a loop of a stage has a kind with this property.
template <class Is>
[[nodiscard]] inline bool has_loop(stage_plan const& st, Is const& is) {
  return std::any_of(st.order.begin(), st.order.end(),
                     [&](std::int32_t id) { return is(st.loops[static_cast<std::size_t>(id)].kind); });
}

/// Sets how the loops of a step run. With a boolean knob, choice 0 leaves them serial.
inline void set_loop_kind(plan& p, step const& s, ir::loop_kind kind) {
  auto& st = stage_of(p, s);
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

}}}  // namespace ttune::v0::primitives
