// SPDX-License-Identifier: Apache-2.0
// Merges the last two free axes of a contraction where all its operands are contiguous along both: the rows and columns
// of an image in a convolution of one pixel. Rows that end inside of a vector would leave lanes idle at the end of
// each.
//
//   O(f, y, x) = sum(c) I(c, y, x) * W(f, c)      →      O(f, yx) = sum(c) I(c, yx) * W(f, c)      fuse_axes(y, x, yx)
//
// The components of a point, such as the two parts of a complex number, are merged with the axis before them, too. Then
// stages without a reduction, of which factors are made, may compute phases of the long row (phases.hpp).
//
//   E(k, j, c) = select(c == 0, …)                →      E(k, jc) = select(jc % 2 == 0, …)
//   O(i, j, c) = sum(k) A(i, k) * E(k, j, c)      →      O(i, jc) = sum(k) A(i, k) * E(k, jc)      fuse_axes(j, c, jc)
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "ttune/autoschedule/cpu/lanes.hpp"
#include "ttune/autoschedule/cpu/long_rows.hpp"
#include "ttune/autoschedule/cpu/short_rows.hpp"
#include "ttune/autoschedule/cpu/with_step.hpp"
#include "ttune/autoschedule/phases.hpp"
#include "ttune/ir/open_extents.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

namespace detail {

/// Returns the lanes of whole vectors over the elements that lie in them.
[[nodiscard]] inline double lanes_an_element(std::int64_t elements, std::int64_t lanes) {
  return static_cast<double>(ceil_divide(elements, lanes) * lanes) / static_cast<double>(elements);
}

/// Returns true if merging the last two free axes of a stage fills more lanes.
[[nodiscard]] inline bool fills_more_lanes(stage_plan const& st, std::int64_t lanes) {
  constexpr double least_gain = 1.03;
  auto const rank = st.definition->axes.size();
  auto const columns = st.axis_size(rank - 1);
  auto const all = columns * st.axis_size(rank - 2);
  return st.axis_size(rank - 2) > 1 && lanes_an_element(columns, lanes) > least_gain * lanes_an_element(all, lanes);
}

/// Returns true if the stages that a stage reads at its last two free axes, and those that read it, lose an axis with
/// it. Others are computed for blocks of rows together with it, which need the rows as an axis.
[[nodiscard]] inline bool neighbours_follow(plan const& p, std::size_t stage, plan const& merged) {
  auto const& st = p.stages[stage];
  auto const rank = st.definition->axes.size();
  auto const follows = [&](std::size_t other) {
    return merged.stages[other].axis_count() < p.stages[other].axis_count();
  };
  for (auto const& a : st.accesses)
    if (a.producer >= 0 && (stride(p, st, a, rank - 1) != 0 || stride(p, st, a, rank - 2) != 0) &&
        !follows(static_cast<std::size_t>(a.producer)))
      return false;
  auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
  return std::all_of(readers.begin(), readers.end(),
                     [&](std::int32_t reader) { return follows(static_cast<std::size_t>(reader)); });
}

/// Returns true if the last axis of a stage has the components of points, which would be a short vector.
[[nodiscard]] inline bool ends_in_components(plan const& p, stage_plan const& st, std::int64_t lanes) {
  auto const last = st.definition->axes.size() - 1;
  return is_short(st, last) && st.axis_size(last) < lanes && st.axis_size(last - 1) > 1 &&
         stride(p, st, st.accesses.back(), last) == 1;
}

/// Returns true if only stages without a reduction divide indices for merged axes, and only such that have phases.
[[nodiscard]] inline bool has_phases_at_most(plan const& p, plan const& merged) {
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    auto const& after = merged.stages[i];
    if (index_divisions(*after.definition) <= index_divisions(*p.stages[i].definition)) continue;
    if (after.definition->reduces() || phases_of(after, after.definition->axes.back().name, most_phases_of_points) == 1)
      return false;
  }
  return true;
}

}  // namespace detail

/// Returns the step that merges the last two free axes of the next such contraction, and the plan with it; nothing if
/// there is none. Operands whose extents calls give keep their dimensions.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_fused_columns(space const& so_far, plan const& p,
                                                                             target const& machine) {
  if (ir::keeps_extents_open(*p.program)) return std::nullopt;
  for (auto const& st : p.stages) {
    auto const& d = *st.definition;
    auto const rank = d.axes.size();
    if (!d.reduces() || d.updates || rank < 2 || !suits_lanes(machine, p, st)) continue;
    bool const components = detail::ends_in_components(p, st, lanes_of(machine, st));
    bool const fills = lanes_axis(machine, p, st) == rank - 1 && detail::fills_more_lanes(st, lanes_of(machine, st));
    if (!components && !fills) continue;
    auto const& rows = d.axes[rank - 2].name;
    auto const& columns = d.axes[rank - 1].name;
    auto made = detail::with_step(  // refused if they are no neighbours in memory
        so_far, {primitive::fuse_axes, d.name, {rows, columns}, {detail::unused_axis(*p.program, rows + columns)}, {}});
    if (made &&
        (components ? detail::has_phases_at_most(p, made->second)
                    : detail::index_divisions(*made->second.program) <= detail::index_divisions(*p.program)) &&
        detail::neighbours_follow(p, static_cast<std::size_t>(&st - p.stages.data()), made->second))
      return made;
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
