// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/schedule/replay.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0 {

namespace detail {

/// Extents and strides of a stage's loops from those of its axes; leaves go into the nest in their order.
inline void replay_loops(plan const& p, configuration const& chosen, nest& out, std::size_t index) {
  auto const& st = p.stages[index];
  auto& made = out.stages[index];
  std::array<std::int32_t, nest::max_loops> extent;
  std::array<std::int32_t, nest::max_loops> stride;
  for (std::size_t i = 0; i < st.loops.size(); ++i) {
    auto const& l = st.loops[i];
    if (i < st.axis_count()) {
      extent[i] = made.extent[i];
      stride[i] = 1;
    }
    auto remaining = extent[i];
    auto step_size = stride[i];
    for (std::size_t c = l.children.size(); c-- > 0;) {
      auto const child = static_cast<std::size_t>(l.children[c]);
      stride[child] = step_size;
      if (c == 0) {
        extent[child] = remaining;
      } else {
        auto const wanted = static_cast<std::int32_t>(p.value(l.factors[c - 1], chosen));
        extent[child] = std::min(wanted, remaining);  // a region may be smaller than the tile
        step_size *= extent[child];
        remaining = static_cast<std::int32_t>(ceil_divide(remaining, extent[child]));
      }
    }
  }
  made.first = out.loop_count;
  made.count = static_cast<std::int16_t>(st.order.size());
  for (std::size_t i = 0; i < st.order.size(); ++i) {
    auto id = st.order[i];
    auto const& l = st.loops[static_cast<std::size_t>(id)];
    auto const kind = p.value(l.kind_enabled, chosen) != 0 ? l.kind : ir::loop_kind::serial;
    out.loops[static_cast<std::size_t>(out.loop_count++)] = {extent[static_cast<std::size_t>(id)],
                                                             stride[static_cast<std::size_t>(id)],
                                                             static_cast<std::int16_t>(l.axis),
                                                             static_cast<std::int16_t>(id), kind, l.fused};
  }
  if (st.permuted.empty()) return;
  auto const& k = p.knobs[static_cast<std::size_t>(st.permutation.knob)];
  auto const order = k.choice(chosen.choices[static_cast<std::size_t>(st.permutation.knob)]);
  std::array<nest::loop, 16> moved;
  for (std::size_t i = 0; i < st.permuted.size(); ++i)
    moved[i] = out.loops[static_cast<std::size_t>(made.first + st.permuted[static_cast<std::size_t>(order[i])])];
  for (std::size_t i = 0; i < st.permuted.size(); ++i)
    out.loops[static_cast<std::size_t>(made.first + st.permuted[i])] = moved[i];
}

/// Largest minus smallest value of an axis while loops (from, to] of its own stage run.
inline std::int64_t own_span(nest const& n, std::size_t st, std::size_t axis, std::int32_t from, std::int32_t to) {
  std::int64_t span = 0;
  auto const& s = n.stages[st];
  for (auto i = from + 1; i <= to; ++i) {
    auto const& l = n.loops[static_cast<std::size_t>(s.first + i)];
    if (static_cast<std::size_t>(l.axis) == axis) span += static_cast<std::int64_t>(l.stride) * (l.extent - 1);
  }
  return std::min<std::int64_t>(span, s.extent[axis] - 1);
}

/// How far the base of axis `axis` of an attached stage moves while the loops between place (of, depth) and the
/// stage's own place run.
inline std::int64_t base_span(plan const& p, nest const& n, std::size_t st, std::size_t axis, std::size_t of,
                              std::int32_t depth) {
  auto const& s = n.stages[st];
  if (s.attached_to < 0 || axis >= p.stages[st].definition->axes.size()) return 0;
  if (s.extent[axis] >= p.stages[st].axis_size(axis)) return 0;  // the whole axis: its base is 0
  std::int64_t most = 0;
  for (std::size_t r = st + 1; r < p.stages.size(); ++r) {
    auto const& reader = n.stages[r];
    bool const here = static_cast<std::size_t>(s.attached_to) == r;
    if (reader.inlined || (!here && reader.attached_to < 0)) continue;
    for (auto const& a : p.stages[r].accesses) {
      if (a.write || a.producer != static_cast<std::int32_t>(st)) continue;
      auto const& index = a.indices[axis];
      std::int64_t span = 0;
      for (std::size_t x = 0; x < index.coefficient.size(); ++x) {
        if (index.coefficient[x] == 0) continue;
        std::int64_t moved = 0;
        if (static_cast<std::size_t>(of) == r) moved = own_span(n, r, x, depth, here ? s.depth : reader.count - 1);
        else if (here) moved = own_span(n, r, x, -1, s.depth) + base_span(p, n, r, x, of, depth);
        else moved = base_span(p, n, r, x, of, depth);
        span += std::abs(index.coefficient[x]) * moved;
      }
      most = std::max(most, index.divisor == 1 ? span : ceil_divide(span, index.divisor));
    }
  }
  return most;
}

/// The region of `st` that its readers touch inside its place.
inline void replay_region(plan const& p, nest& out, std::size_t st) {
  auto const& planned = p.stages[st];
  auto& made = out.stages[st];
  auto const axes = planned.definition->axes.size();
  for (std::size_t a = axes; a < planned.axis_count(); ++a)
    made.extent[a] = static_cast<std::int32_t>(planned.axis_size(a));
  for (std::size_t d = 0; d < axes; ++d) {
    auto const full = planned.axis_size(d);
    if (made.attached_to < 0) {
      made.extent[d] = static_cast<std::int32_t>(full);
      continue;
    }
    std::int64_t low = 0;
    std::int64_t high = -1;
    bool whole = false;
    bool first = true;
    for (std::size_t r = st + 1; r < p.stages.size(); ++r) {
      if (out.stages[r].inlined) continue;
      for (auto const& a : p.stages[r].accesses) {
        if (a.write || a.producer != static_cast<std::int32_t>(st)) continue;
        auto const& index = a.indices[d];
        if (index.whole) whole = true;
        std::int64_t span = 0;
        for (std::size_t x = 0; x < index.coefficient.size(); ++x)
          if (index.coefficient[x] != 0)
            span += std::abs(index.coefficient[x]) *
                    axis_span(p, out, r, x, static_cast<std::size_t>(made.attached_to), made.depth);
        auto constant = index.constant;
        if (index.divisor != 1) {
          span = ceil_divide(span, index.divisor);
          constant = floor_divide(constant, index.divisor);
        }
        low = first ? constant : std::min(low, constant);
        high = first ? constant + span : std::max(high, constant + span);
        first = false;
      }
    }
    made.extent[d] = static_cast<std::int32_t>(whole ? full : std::min(full, high - low + 1));
  }
}

}  // namespace detail

TTUNE_INLINE std::int64_t axis_span(plan const& p, nest const& n, std::size_t st, std::size_t axis, std::size_t of,
                                    std::int32_t depth) {
  if (st == of) return detail::own_span(n, st, axis, depth, n.stages[st].count - 1);
  return n.stages[st].extent[axis] - 1 + detail::base_span(p, n, st, axis, of, depth);
}

TTUNE_INLINE void replay(plan const& p, configuration const& chosen, nest& out) {
  out.loop_count = 0;
  out.stage_count = static_cast<std::int16_t>(p.stages.size());
  for (std::size_t i = p.stages.size(); i-- > 0;) {  // readers first: they say which region is needed
    auto const& st = p.stages[i];
    auto& made = out.stages[i];
    auto const& place = st.places[static_cast<std::size_t>(p.value(st.place, chosen))];
    made.inlined = place.kind == planned_place::sort::inlined;
    made.attached_to = static_cast<std::int16_t>(place.kind == planned_place::sort::inside ? place.stage : -1);
    made.depth = -1;
    if (made.attached_to >= 0) {
      auto const& at = out.stages[static_cast<std::size_t>(place.stage)];
      for (std::int16_t d = 0; d < at.count; ++d)
        if (out.loops[static_cast<std::size_t>(at.first + d)].source == place.loop) made.depth = d;
      while (out.loops[static_cast<std::size_t>(at.first + made.depth)].fused) ++made.depth;
    }
    detail::replay_region(p, out, i);
    detail::replay_loops(p, chosen, out, i);
  }
}

}  // namespace ttune::inline v0
