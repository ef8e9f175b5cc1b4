// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/schedule/replay.hpp"
#include "ttune/schedule/span.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0 {

namespace detail {

/// How many iterations the parts of a loop of `extent` make: an extent that its own parts do not divide is rounded up,
/// so that no two iterations of the loop around meet.
inline std::int32_t covered(plan const& p, configuration const& chosen, planned_stage const& st, planned_loop const& l,
                            std::int32_t extent) {
  std::int32_t inner = 1;
  for (std::size_t c = l.children.size(); c-- > 0;) {
    auto const wanted =
        c == 0 ? extent : std::min(static_cast<std::int32_t>(p.value(l.factors[c - 1], chosen)), extent);
    auto const& part = st.loops[static_cast<std::size_t>(l.children[c])];
    auto const made = part.children.empty() ? wanted : covered(p, chosen, st, part, wanted);
    inner *= made;
    extent = static_cast<std::int32_t>(ceil_divide(extent, made));
  }
  return inner;
}

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
        auto const& part = st.loops[child];
        auto const made_by_parts = part.children.empty() ? extent[child] : covered(p, chosen, st, part, extent[child]);
        step_size *= made_by_parts;
        remaining = static_cast<std::int32_t>(ceil_divide(remaining, made_by_parts));
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
                                                             static_cast<std::int16_t>(id),
                                                             kind,
                                                             l.fused};
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

/// The smallest value of a dividend while a place's loops run, as an affine form over the axes of the place's stage.
struct low_form {
  std::array<std::int64_t, nest::max_axes> coefficient{};
  std::int64_t constant = 0;
};

/// Whether axis `x` of the place's stage moves while the loops around the place run.
inline bool moves_outside(plan const& p, nest const& n, std::size_t x, region_place const& at) {
  auto const& s = n.stages[at.of];
  auto const& of = p.stages[at.of];
  if (s.attached_to >= 0 && x < of.definition->axes.size() && s.extent[x] < of.axis_size(x)) return true;
  return own_span(n, at.of, x,
                  [&](std::int32_t i) { return i <= at.depth && !(at.group && over_threads(n, at.of, i)); }) != 0;
}

inline bool add_low(plan const& p, nest const& n, std::size_t r, std::size_t x, std::int64_t scale,
                    region_place const& at, low_form& to);

/// That of one index of reader `r`. False if there is no one form for it.
inline bool low_of(plan const& p, nest const& n, std::size_t r, planned_index const& index, region_place const& at,
                   low_form& to) {
  to.constant += index.constant;
  for (std::size_t x = 0; x < index.coefficient.size(); ++x) {
    auto const c = index.coefficient[x];
    if (c == 0) continue;
    if (!add_low(p, n, r, x, c, at, to)) return false;
    if (c < 0) to.constant += c * axis_span(p, n, r, x, at);
  }
  return true;
}

/// Adds `scale` times the smallest value of axis `x` of reader `r`.
inline bool add_low(plan const& p, nest const& n, std::size_t r, std::size_t x, std::int64_t scale,
                    region_place const& at, low_form& to) {
  if (r == at.of) {
    if (moves_outside(p, n, x, at)) to.coefficient[x] += scale;
    return true;
  }
  auto const& planned = p.stages[r];
  if (x >= planned.definition->axes.size() || n.stages[r].extent[x] >= planned.axis_size(x)) return true;
  low_form least;
  bool first = true;
  for (std::size_t q = r + 1; q < p.stages.size(); ++q) {
    if (n.stages[q].inlined) continue;
    for (auto const& a : p.stages[q].accesses) {
      if (a.write || a.producer != static_cast<std::int32_t>(r)) continue;
      low_form form;
      if (a.indices[x].divisor != 1 || !low_of(p, n, q, a.indices[x], at, form)) return false;
      if (!first && form.coefficient != least.coefficient) return false;
      form.constant = first ? form.constant : std::min(form.constant, least.constant);
      least = form;
      first = false;
    }
  }
  for (std::size_t i = 0; i < nest::max_axes; ++i) to.coefficient[i] += scale * least.coefficient[i];
  to.constant += scale * least.constant;
  return true;
}

/// How far the dividend of one index moves inside a place.
inline std::int64_t index_span(plan const& p, nest const& n, std::size_t r, planned_index const& index,
                               region_place const& at) {
  std::int64_t span = 0;
  for (std::size_t x = 0; x < index.coefficient.size(); ++x)
    if (index.coefficient[x] != 0) span += std::abs(index.coefficient[x]) * axis_span(p, n, r, x, at);
  return span;
}

/// Calls `f(reader, access)` for every read of a stage where it is computed.
template <class Function>
inline void for_each_read(plan const& p, nest const& n, std::size_t st, Function const& f) {
  for (std::size_t r = st + 1; r < p.stages.size(); ++r) {
    if (n.stages[r].inlined) continue;
    for (auto const& a : p.stages[r].accesses)
      if (!a.write && a.producer == static_cast<std::int32_t>(st)) f(r, a);
  }
}

/// How many elements of dimension `d` several reads touch together: all, if their bases move apart.
inline std::int64_t touched_by_several(plan const& p, nest const& n, std::size_t st, std::size_t d) {
  auto const at = place_of(n, st);
  low_form base;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t divisor = 0;  // 0: no read yet
  bool together = true;
  for_each_read(p, n, st, [&](std::size_t r, planned_access const& a) {
    auto const& index = a.indices[d];
    low_form form;
    if (!together || !low_of(p, n, r, index, at, form) ||
        (divisor != 0 && (index.divisor != divisor || form.coefficient != base.coefficient))) {
      together = false;
      return;
    }
    if (divisor == 0) base = form;
    divisor = index.divisor;
    auto const begin = form.constant - base.constant;
    low = std::min(low, begin);
    high = std::max(high, begin + index_span(p, n, r, index, at));
  });
  auto const whole = p.stages[st].axis_size(d);
  return together ? std::min(whole, ceil_divide(high - low, divisor) + 1) : whole;
}

/// How many elements of dimension `d` of an attached stage its readers touch inside its place.
inline std::int64_t touched(plan const& p, nest const& n, std::size_t st, std::size_t d) {
  int reads = 0;
  bool whole = false;
  planned_index const* index = nullptr;
  std::size_t reader = 0;
  for_each_read(p, n, st, [&](std::size_t r, planned_access const& a) {
    ++reads;
    reader = r;
    index = &a.indices[d];
    whole = whole || index->whole;
  });
  if (reads == 0) return 0;
  if (whole) return p.stages[st].axis_size(d);
  if (reads > 1) return touched_by_several(p, n, st, d);
  // Where the only one begins does not matter.
  auto const span = index_span(p, n, reader, *index, place_of(n, st));
  return std::min(p.stages[st].axis_size(d), (index->divisor == 1 ? span : ceil_divide(span, index->divisor)) + 1);
}

/// The region of `st` that its readers touch inside its place, and all of what it reduces.
inline void replay_region(plan const& p, nest& out, std::size_t st) {
  auto const& planned = p.stages[st];
  auto& made = out.stages[st];
  auto const axes = planned.definition->axes.size();
  for (std::size_t a = axes; a < planned.axis_count(); ++a)
    made.extent[a] = static_cast<std::int32_t>(planned.axis_size(a));
  for (std::size_t d = 0; d < axes; ++d)
    made.extent[d] = static_cast<std::int32_t>(made.attached_to < 0 ? planned.axis_size(d) : touched(p, out, st, d));
}

}  // namespace detail

TTUNE_INLINE std::int64_t axis_span(plan const& p, nest const& n, std::size_t st, std::size_t axis, std::size_t of,
                                    std::int32_t depth) {
  return detail::span_inside(p, n, st, axis, of, depth);
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
    made.group = made.attached_to >= 0 && st.where == ir::memory::group;
    made.padding = static_cast<std::int16_t>(p.value(st.padding, chosen));
    made.swizzle = st.swizzled.empty() ? 0 : 1;
    for (auto const& factor : st.swizzled) made.swizzle *= static_cast<std::int32_t>(p.value(factor, chosen));
    made.buffers = static_cast<std::int16_t>(made.attached_to >= 0 && st.doubled ? p.value(st.buffers, chosen) : 1);
    made.prefetch = static_cast<std::int16_t>(p.value(st.prefetched.distance, chosen));
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
