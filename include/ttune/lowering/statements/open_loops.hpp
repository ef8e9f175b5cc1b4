// SPDX-License-Identifier: Apache-2.0
// Loops over axes whose extents calls give (capture/keep_open.hpp). The loop nest is that of the largest extent: loops
// end where the extent of the call does, and unrolled and vectorised loops exist twice, without conditions for whole
// tiles and with them for the last one.
//
//   for io < 128                              let M = extents[0]
//     unroll ii < 4                      →    for io < min(128, (M + 3) / 4)
//       C[io * 4 + ii] = …                      if io * 4 + 4 <= M
//                                                 unroll ii < 4: C[io * 4 + ii] = …
//                                               else
//                                                 unroll ii < 4: if io * 4 + ii < M: C[io * 4 + ii] = …
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ttune/arith/conditions.hpp"
#include "ttune/lowering/statements/bases.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Returns true if a form is at least 0 by what is known of the open extents: it is a known form plus a rest.
[[nodiscard]] inline bool follows(scope const& in, arith::affine const& form) {
  return std::any_of(in.facts.begin(), in.facts.end(), [&](arith::affine const& known) {
    auto rest = form;
    rest.add(known, -1);
    return arith::bounds(rest, in.ranges).low >= 0;
  });
}
[[nodiscard]] inline bool is_known(scope const& in, ir::expr const& condition) {
  if (in.facts.empty()) return false;
  auto const form = arith::as_non_negative(condition);
  return form && follows(in, *form);
}

/// Returns true if a loop may end at run time. One that has a single iteration is no loop.
[[nodiscard]] inline bool can_end_early(loop_nest::loop const& l) {
  return (l.kind == ir::loop_kind::serial || l.kind == ir::loop_kind::parallel) && l.extent > 1;
}

/// Returns where the iterations of the loops of a stage that are outside of `level` begin along an axis.
[[nodiscard]] inline ir::expr begin_of_iteration(scope const& in, bases const& base, std::size_t st, std::int32_t level,
                                                 std::size_t axis) {
  auto made = base[st][axis];
  for (std::int32_t l = 0; l < level; ++l)
    if (static_cast<std::size_t>(in.loop(st, l).axis) == axis) made = made + in.distance(st, l);
  return made;
}

/// Returns the number of steps along an open axis from where a loop begins, at most `all`.
[[nodiscard]] inline ir::expr iterations_left(scope const& in, bases const& base, std::size_t st, std::int32_t level,
                                              std::int64_t step, ir::expr const& all) {
  auto const axis = static_cast<std::size_t>(in.loop(st, level).axis);
  auto const left = in.size_of(st, axis) - begin_of_iteration(in, base, st, level, axis) + (step - 1);
  auto end = step == 1 ? left : ir::make_binary(ir::binary_op::floor_divide, left, ir::make_index(step));
  end = arith::simplify(ir::make_binary(ir::binary_op::minimum, end, all), in.ranges);
  return arith::simplify(ir::make_binary(ir::binary_op::maximum, end, ir::make_index(0)), in.ranges);
}

/// Returns where a loop ends: behind its extent, or before the first iteration without a value of an open axis.
[[nodiscard]] inline ir::expr end_of_loop(scope const& in, bases const& base, std::size_t st, std::int32_t level) {
  auto const& l = in.loop(st, level);
  if (auto const* share = in.share_of(st, level)) return ir::make_variable(share->tasks);
  if (!in.is_open(st, static_cast<std::size_t>(l.axis)) || !can_end_early(l)) return ir::make_index(l.extent);
  auto all = ir::make_index(l.extent);
  for (std::int32_t outer = 0; outer < level; ++outer)
    if (auto const* share = in.share_of(st, outer); share && share->inner == level)
      all = ir::make_variable(share->count);
  return iterations_left(in, base, st, level, l.stride, all);
}

/// Returns what is known of an axis inside of such a loop: the first value of an iteration exists.
[[nodiscard]] inline std::optional<arith::affine> first_value_exists(scope const& in, bases const& base, std::size_t st,
                                                                     std::int32_t level) {
  auto const& l = in.loop(st, level);
  auto const axis = static_cast<std::size_t>(l.axis);
  if (!in.is_open(st, axis) || (!can_end_early(l) && !in.share_of(st, level))) return std::nullopt;
  auto const first = begin_of_iteration(in, base, st, level + 1, axis) * in.run_of(st, axis);
  return arith::to_affine(in.values_of(st, axis) - first + -1);
}

/// The tiles of unrolled and vectorised loops over an open axis of a stage.
struct tile_of_axis {
  std::size_t stage;
  std::size_t axis;
  arith::affine is_whole;  ///< at least 0 if all values of a tile exist
};

/// Returns the values of an axis that the loops from `level` on pass, if all of them are unrolled or vectorised; 1 if
/// there is no such loop, or another one.
[[nodiscard]] inline std::int64_t width_of_tile(scope const& in, std::size_t st, std::int32_t level, std::size_t axis) {
  std::int64_t width = 1;
  for (auto l = level; l < in.n.stages[st].count; ++l) {
    auto const& loop = in.loop(st, l);
    if (static_cast<std::size_t>(loop.axis) != axis || loop.extent == 1) continue;
    if (can_end_early(loop)) return 1;
    width += static_cast<std::int64_t>(loop.extent - 1) * loop.stride;
  }
  return width;
}

/// Returns true if one of the loops from `level` on may end where an axis does.
[[nodiscard]] inline bool ends_inside(scope const& in, std::size_t st, std::int32_t level, std::size_t axis) {
  for (auto l = level; l < in.n.stages[st].count; ++l)
    if (static_cast<std::size_t>(in.loop(st, l).axis) == axis && can_end_early(in.loop(st, l))) return true;
  return false;
}

/// Returns the tiles inside of the loops of a stage from `level` on that may not be whole. None if another stage is
/// computed there: it exists once.
[[nodiscard]] inline std::vector<tile_of_axis> whole_tiles(scope const& in, bases const& base, std::size_t st,
                                                           std::int32_t level) {
  std::vector<tile_of_axis> made;
  for (auto l = level; l < in.n.stages[st].count; ++l)
    if (!in.computed_inside(st, l).empty()) return made;
  for (std::size_t axis = 0; axis < in.p.stages[st].axis_count(); ++axis) {
    if (!in.is_open(st, axis)) continue;
    auto const width = width_of_tile(in, st, level, axis) * in.run_of(st, axis);
    if (width == 1 || ends_inside(in, st, level, axis)) continue;
    auto const begin = begin_of_iteration(in, base, st, level, axis) * in.run_of(st, axis);
    auto const whole = arith::to_affine(in.values_of(st, axis) - begin + -width);
    if (whole && arith::bounds(*whole, in.ranges).low < 0 && !follows(in, *whole)) made.push_back({st, axis, *whole});
  }
  return made;
}

/// Returns the condition that all of these tiles are whole.
[[nodiscard]] inline ir::expr all_are_whole(std::vector<tile_of_axis> const& tiles) {
  std::vector<ir::expr> parts;
  for (auto const& t : tiles) {
    arith::linear_form sum{t.is_whole.constant, {}};
    for (auto const& [name, coefficient] : t.is_whole.terms) sum.add(ir::make_variable(name), coefficient);
    parts.push_back(ir::make_binary(ir::binary_op::less_equal, ir::make_index(0), arith::from_linear(sum)));
  }
  return arith::conjunction(parts);
}

}}}  // namespace ttune::v0::lowering
