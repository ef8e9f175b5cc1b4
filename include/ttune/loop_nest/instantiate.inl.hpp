// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/loop_nest/continued.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/loop_nest/sliding.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the number of iterations that the parts of a loop of `extent` make. An extent that the parts do not divide
/// is rounded up, so that iterations of the loop around do not overlap.
inline std::int32_t covered(plan const& p, configuration const& chosen, stage_plan const& st, loop_plan const& l,
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

/// Computes extents and strides of a stage's loops from those of its axes; puts leaves into the nest in their order.
inline void instantiate_loops(plan const& p, configuration const& chosen, loop_nest& out, std::size_t index) {
  auto const& st = p.stages[index];
  auto& made = out.stages[index];
  std::array<std::int32_t, loop_nest::max_loops> extent;
  std::array<std::int32_t, loop_nest::max_loops> stride;
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
  std::array<loop_nest::loop, 16> moved;
  for (std::size_t i = 0; i < st.permuted.size(); ++i)
    moved[i] = out.loops[static_cast<std::size_t>(made.first + st.permuted[static_cast<std::size_t>(order[i])])];
  for (std::size_t i = 0; i < st.permuted.size(); ++i)
    out.loops[static_cast<std::size_t>(made.first + st.permuted[i])] = moved[i];
}

/// Computes the region of `st` that its readers touch inside of its place, and the whole of its reduced axes. Results
/// that continue each other have one term each, and are computed along the whole of their axis if they do not continue
/// those of an iteration before.
inline void infer_region(plan const& p, loop_nest& out, std::size_t st) {
  auto const& planned = p.stages[st];
  auto& made = out.stages[st];
  auto const axes = planned.definition->axes.size();
  for (std::size_t a = axes; a < planned.axis_count(); ++a)
    made.extent[a] = planned.carried < 0 ? static_cast<std::int32_t>(planned.axis_size(a)) : 1;
  made.continued = is_continued(p, out, st);
  for (std::size_t d = 0; d < axes; ++d) {
    bool const is_along = planned.carried == static_cast<std::int32_t>(d);
    bool const whole = made.attached_to < 0 || (is_along && !made.continued);
    made.extent[d] = static_cast<std::int32_t>(whole ? planned.axis_size(d) : touched(p, out, st, d));
  }
}

}  // namespace detail

std::int64_t axis_span(plan const& p, loop_nest const& n, std::size_t st, std::size_t axis, std::size_t of,
                       std::int32_t depth) {
  return detail::span_inside(p, n, st, axis, of, depth);
}

void instantiate(plan const& p, configuration const& chosen, loop_nest& out) {
  out.loop_count = 0;
  out.stage_count = static_cast<std::int16_t>(p.stages.size());
  for (std::size_t i = p.stages.size(); i-- > 0;) {  // readers first, since they determine the region
    auto const& st = p.stages[i];
    auto& made = out.stages[i];
    auto const& place = st.places[static_cast<std::size_t>(p.value(st.place, chosen))];
    made.inlined = place.kind == place_plan::sort::inlined;
    made.attached_to = static_cast<std::int16_t>(place.kind == place_plan::sort::inside ? place.stage : -1);
    made.depth = -1;
    made.group = made.attached_to >= 0 && st.where == ir::memory::shared;
    made.padding = static_cast<std::int16_t>(p.value(st.padding, chosen));
    made.swizzle = st.swizzled.empty() ? 0 : 1;
    for (auto const& factor : st.swizzled) made.swizzle *= static_cast<std::int32_t>(p.value(factor, chosen));
    made.buffers = static_cast<std::int16_t>(made.attached_to >= 0 && st.doubled ? p.value(st.buffers, chosen) : 1);
    made.held = static_cast<std::int16_t>(st.held);
    made.prefetch = static_cast<std::int16_t>(p.value(st.prefetched.distance, chosen));
    if (made.attached_to >= 0) {
      auto const& at = out.stages[static_cast<std::size_t>(place.stage)];
      for (std::int16_t d = 0; d < at.count; ++d)
        if (out.loops[static_cast<std::size_t>(at.first + d)].source == place.loop) made.depth = d;
      while (out.loops[static_cast<std::size_t>(at.first + made.depth)].fused) ++made.depth;
    }
    detail::infer_region(p, out, i);
    detail::infer_sliding(p, out, i);
    detail::instantiate_loops(p, chosen, out, i);
  }
}

}}  // namespace ttune::v0
