// SPDX-License-Identifier: Apache-2.0
// Decides which stages of a loop nest slide (primitive/slide.hpp), by how many rows an iteration, and when they
// begin.
#pragma once

#include "ttune/loop_nest/region.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the number of iterations before the first one of the loop around a place in which reader `r` runs. They are
/// those of the stage at that place which `r` is, or in which `r` is computed.
[[nodiscard]] inline std::int16_t warm_up_at(loop_nest const& n, std::size_t r, region_place const& at) {
  while (r != at.of && n.stages[r].attached_to >= 0) {
    auto const& s = n.stages[r];
    if (static_cast<std::size_t>(s.attached_to) == at.of && s.depth == at.depth) return s.warm_up;
    r = static_cast<std::size_t>(s.attached_to);
  }
  return 0;
}

/// The rows that an iteration adds along an axis of a stage.
struct slid_rows {
  std::int32_t axis = -1;  ///< -1: the stage does not slide
  std::int64_t rows = 0;
};

/// Returns true if a stage at a place can keep its rows in a ring: the loop around it is a plain one that runs more
/// than once, in code of one thread.
[[nodiscard]] inline bool can_slide_in(plan const& p, loop_nest const& n, region_place const& at) {
  auto const& s = n.stages[at.of];
  for (std::int32_t level = 0; level < at.depth; ++level) {
    auto const kind = n.loops[static_cast<std::size_t>(s.first + level)].kind;
    if (kind == ir::loop_kind::vectorized || kind == ir::loop_kind::tensorized) return false;
  }
  auto const& l = n.loops[static_cast<std::size_t>(s.first + at.depth)];
  auto const& planned = p.stages[at.of].loops[static_cast<std::size_t>(l.source)];
  return l.kind == ir::loop_kind::serial && l.extent > 1 && planned.group.empty() && !l.fused;
}

/// Returns the one axis along which the region of a stage moves with the loop around its place, forwards and by less
/// than it is long.
[[nodiscard]] inline slid_rows choose_slid_rows(plan const& p, loop_nest const& n, std::size_t st) {
  auto const at = place_of(n, st);
  if (!can_slide_in(p, n, at)) return {};
  auto const& s = n.stages[st];
  auto const& l = n.loops[static_cast<std::size_t>(n.stages[at.of].first + at.depth)];
  region_bounds bounds(p, n, at);
  slid_rows made;
  bool simple = true;
  for (std::size_t d = 0; d < p.stages[st].definition->axes.size() && simple; ++d) {
    if (s.extent[d] >= p.stages[st].axis_size(d)) continue;  // the whole axis: it stays where it is
    for_each_read(p, n, st, [&](std::size_t r, access_plan const& a) {
      auto const form = bounds.low_of(r, a.indices[d]);
      auto const divisor = a.indices[d].divisor;
      if (!form.exists) return void(simple = false);
      auto const moves = form.coefficient[static_cast<std::size_t>(l.axis)] * l.stride;
      if (moves == 0) return;
      auto const axis = static_cast<std::int32_t>(d);
      slid_rows const here{axis, moves / divisor};
      simple = simple && moves > 0 && moves % divisor == 0 && here.rows < s.extent[d] &&
               (made.axis < 0 || (made.axis == axis && made.rows == here.rows));
      made = here;
    });
  }
  return simple ? made : slid_rows{};
}

/// Runs after infer_region. If the stage slides, its region becomes the part of it that an iteration adds.
inline void infer_sliding(plan const& p, loop_nest& out, std::size_t st) {
  auto& made = out.stages[st];
  made.slid_axis = -1;
  made.warm_up = 0;
  if (made.attached_to < 0) return;
  for_each_read(p, out, st, [&](std::size_t r, access_plan const&) {
    made.warm_up = std::max(made.warm_up, warm_up_at(out, r, place_of(out, st)));
  });
  if (!p.stages[st].slides) return;
  auto const slid = choose_slid_rows(p, out, st);
  if (slid.axis < 0) return;
  auto& rows = made.extent[static_cast<std::size_t>(slid.axis)];
  made.slid_axis = static_cast<std::int16_t>(slid.axis);
  made.window = rows;
  for (made.ring = 1; made.ring < made.window;) made.ring *= 2;
  rows = static_cast<std::int32_t>(slid.rows);
  made.warm_up = static_cast<std::int16_t>(made.warm_up + ceil_divide(made.window - rows, rows));
}

}}}  // namespace ttune::v0::detail
