// SPDX-License-Identifier: Apache-2.0
// Scans whose results continue each other (primitive/carry.hpp), computed in the loop of their reader: if that loop
// goes along the scanned axis, an iteration computes the part that is read in it, and continues the last one.
#pragma once

#include "ttune/loop_nest/region.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns true if the part of a scan that is read in an iteration of the loop around it begins where that of the
/// iteration before ends.
[[nodiscard]] inline bool is_continued(plan const& p, loop_nest const& n, std::size_t st) {
  auto const& planned = p.stages[st];
  if (planned.carried < 0 || n.stages[st].attached_to < 0 || planned.slides || planned.doubled) return false;
  auto const at = place_of(n, st);
  auto const& around = n.stages[at.of];
  auto const& last = n.loops[static_cast<std::size_t>(around.first + at.depth)];
  if (around.attached_to >= 0 || last.kind != ir::loop_kind::serial || last.fused || last.extent == 1) return false;
  if (!p.stages[at.of].loops[static_cast<std::size_t>(last.source)].group.empty()) return false;
  for (std::int32_t level = 0; level < at.depth; ++level) {
    auto const& l = n.loops[static_cast<std::size_t>(around.first + level)];
    if (l.axis == last.axis && l.extent > 1) return false;
  }
  auto const along = static_cast<std::size_t>(planned.carried);
  auto const loop_axis = static_cast<std::size_t>(last.axis);
  int reads = 0;
  bool in_place = true;
  for_each_read(p, n, st, [&](std::size_t r, access_plan const& a) {
    ++reads;
    in_place = in_place && r == at.of && axis_alone(a.indices[along]) == last.axis;
    for (std::size_t d = 0; d < a.indices.size() && in_place; ++d) {
      auto const& index = a.indices[d];
      bool const stands =
          index.coefficient[loop_axis] == 0 && (!index.whole || (!index.moves.empty() && !index.moves[loop_axis]));
      in_place = d == along || stands;  // else an iteration would continue other results
    }
  });
  return reads == 1 && in_place;
}

}}}  // namespace ttune::v0::detail
