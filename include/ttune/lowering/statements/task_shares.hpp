// SPDX-License-Identifier: Apache-2.0
// The tiles of a task where calls give extents. A schedule says how many tiles of an axis a task has at most; a call
// that would have too few tasks for its threads has fewer tiles in each.
//
//                                             let C.i_1.count = clamp(ceil((M + 7) / 8 / $tasks), 1, 16)
//                                             let C.i_0.tasks = ceil((M + 7) / 8 / C.i_1.count)
//   parallel C.i_0 < (M + 127) / 128          parallel C.i_0.task < C.i_0.tasks
//                                        →      let C.i_0 = C.i_0.task * C.i_1.count
//     for C.i_1 < min(16, …)                    for C.i_1 < min(C.i_1.count, …)
//       … tile of C at C.i_0 * 128 + C.i_1 * 8    … tile of C at C.i_0 * 8 + C.i_1 * 8
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/lowering/statements/open_loops.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Returns the loop over the tiles of a task, if the parallel loop at `level`, which runs together with those up to
/// `last`, passes tasks of several tiles of an open axis.
[[nodiscard]] inline std::optional<std::int32_t> loop_over_tiles(scope const& in, std::size_t st, std::int32_t level,
                                                                 std::int32_t last) {
  auto const& tasks = in.loop(st, level);
  auto const axis = static_cast<std::size_t>(tasks.axis);
  if (tasks.kind != ir::loop_kind::parallel) return std::nullopt;
  if (!in.is_open(st, axis) || in.run_of(st, axis) != 1 || !in.is_free(st, tasks)) return std::nullopt;
  auto const of_axis = [&](std::int32_t l) { return in.loop(st, l).axis == tasks.axis && in.loop(st, l).extent > 1; };
  for (std::int32_t l = 0; l < level; ++l)
    if (of_axis(l)) return std::nullopt;
  auto inner = level + 1;
  while (inner < in.n.stages[st].count && !of_axis(inner)) ++inner;
  if (inner <= last || inner == in.n.stages[st].count) return std::nullopt;
  auto const& tiles = in.loop(st, inner);
  bool const divides = tasks.stride == tiles.stride * tiles.extent;
  return divides && can_end_early(tiles) && !in.is_fused(st, inner) ? std::optional(inner) : std::nullopt;
}

/// Returns true if what is computed between two loops does not depend on an axis of the stage: several tasks with fewer
/// tiles would each compute all of it. Where the schedule has one task, regions do not tell.
[[nodiscard]] inline bool is_apart_from_axis(scope const& in, bases& base, std::size_t st, std::int32_t outer,
                                             std::int32_t inner) {
  for (auto l = outer; l < inner; ++l) {
    auto const here = in.computed_inside(st, l);
    if (!here.empty() && in.loop(st, outer).extent == 1) return false;
    base.find(here);
    for (auto const q : here) {
      auto const& s = in.n.stages[q];
      if (s.continued || s.slid_axis >= 0 || s.warm_up != 0 || s.buffers != 1) return false;
      for (auto const& begin : base[q])
        if (ir::mentions(begin, {in.variable(st, outer)})) return false;
    }
  }
  return true;
}

/// Returns the number of tiles along the axis of a parallel loop, whose tasks pass them by a loop inside.
[[nodiscard]] inline ir::expr tiles_of_axis(scope const& in, bases const& base, std::size_t st, std::int32_t level,
                                            std::int32_t inner) {
  auto const most = ir::make_index(std::int64_t{in.loop(st, level).extent} * in.loop(st, inner).extent);
  return iterations_left(in, base, st, level, in.loop(st, inner).stride, most);
}

/// Returns the number of tiles of a task: at most what the schedule says, and few enough for the tasks that the call
/// should have, of which there are `others` for each task along this axis.
[[nodiscard]] inline ir::expr tiles_of_task(ir::expr const& tiles, ir::expr const& others, std::int64_t most) {
  auto const all = ir::make_binary(ir::binary_op::multiply, tiles, others);
  auto const tasks = ir::make_variable(ir::tasks_of_call);
  auto const share = ir::make_binary(ir::binary_op::floor_divide, all + tasks + -1, tasks);
  return ir::make_binary(ir::binary_op::maximum, ir::make_binary(ir::binary_op::minimum, share, ir::make_index(most)),
                         ir::make_index(1));
}

}}}  // namespace ttune::v0::lowering
