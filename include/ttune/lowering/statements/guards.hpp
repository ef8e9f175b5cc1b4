// SPDX-License-Identifier: Apache-2.0
// The conditions under which a point of a stage's loops is computed: tails of splits, regions that overhang the stage,
// iterations before the first one in which stages that slide begin (primitive/slide.hpp).
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/lowering/statements/accumulators.hpp"
#include "ttune/lowering/statements/open_loops.hpp"
#include "ttune/lowering/statements/overhang.hpp"
#include "ttune/lowering/statements/storage.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Returns true if one condition around the loops of a stage asks whether the one row that an iteration adds is a row
/// of the stage at all.
[[nodiscard]] inline bool asks_ahead(loop_nest const& n, std::size_t st, std::size_t axis) {
  return slides_along(n, st, axis) && n.stages[st].extent[axis] == 1;
}

/// Returns `made`, the loops of a stage, under that condition.
[[nodiscard]] inline ir::stmt in_slid_rows(scope const& in, bases const& base, std::size_t st, ir::stmt const& made) {
  auto const axis = in.n.stages[st].slid_axis;
  if (axis < 0 || !asks_ahead(in.n, st, static_cast<std::size_t>(axis))) return made;
  auto const& row = base[st][static_cast<std::size_t>(axis)];
  auto const full = in.size_of(st, static_cast<std::size_t>(axis));
  auto const inside_domain =
      ir::make_binary(ir::binary_op::logical_and, ir::make_binary(ir::binary_op::less, row, full),
                      ir::make_binary(ir::binary_op::less, ir::make_index(-1), row));
  return ir::make_conditional(arith::simplify(inside_domain, in.ranges), made);
}

/// Returns the condition under which a point of the loops, at `relative` to the region's base, is one of the stage.
[[nodiscard]] inline ir::expr inside_domain(scope const& in, bases const& base, accumulators const& last,
                                            std::size_t st, exprs const& relative, bool initialise) {
  auto condition = ir::make_bool(true);
  auto const require = [&](ir::expr const& low_side, ir::expr const& high_side) {
    auto const c = arith::simplify(ir::make_binary(ir::binary_op::less, low_side, high_side), in.ranges);
    if (!is_known(in, c)) condition = ir::make_binary(ir::binary_op::logical_and, condition, c);
  };
  for (std::size_t a = 0; a < relative.size(); ++a) {
    bool const free = a < in.p.stages[st].definition->axes.size();
    if (initialise && (!free || last.is_along(st, a))) continue;
    auto const region = static_cast<std::int64_t>(in.n.stages[st].extent[a]);
    bool const whole = region >= in.p.stages[st].axis_size(a);
    auto const full = in.size_of(st, a);
    require(relative[a], ir::make_index(region));
    if (whole && in.is_open(st, a)) require(relative[a] * in.run_of(st, a), in.values_of(st, a));
    if (!free || whole || asks_ahead(in.n, st, a) || overhang_of(in, st, a) != overhang::guarded) continue;
    require(base[st][a] + relative[a], full);
    require(ir::make_index(-1), base[st][a] + relative[a]);
  }
  return condition;
}

/// Returns the number of iterations before the first one of a loop in which stages are computed inside of it.
[[nodiscard]] inline std::int32_t warm_up_of(scope const& in, std::size_t st, std::int32_t level) {
  std::int32_t most = 0;
  for (auto const q : in.computed_inside(st, level)) most = std::max<std::int32_t>(most, in.n.stages[q].warm_up);
  return most;
}

/// Returns what `make` makes, under the condition that it runs from `before` iterations before the first one of a loop
/// on.
template <class Make>
[[nodiscard]] ir::stmt from_iteration(scope& in, std::size_t st, std::int32_t level, std::int32_t before,
                                      Make const& make) {
  if (level < 0 || warm_up_of(in, st, level) == before) return make();
  auto const name = in.variable(st, level);
  auto const all = std::exchange(in.ranges[name].low, -before);
  auto made = make();
  in.ranges[name].low = all;
  return ir::make_conditional(
      ir::make_binary(ir::binary_op::less_equal, ir::make_index(-before), ir::make_variable(name)), made);
}

}}}  // namespace ttune::v0::lowering
