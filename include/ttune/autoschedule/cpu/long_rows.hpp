// SPDX-License-Identifier: Apache-2.0
// Merges reduced axes that are contiguous together into one long row: sums over channels, rows and columns of images,
// over a whole operand. Short rows would leave vector lanes idle at the end of each.
//
//   m(n) = sum(c, y, x) X(n, c, y, x)      →      m(n) = sum(cyx) X(n, cyx)                     fuse_axes(c, y, x, cyx)
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/cpu/with_step.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

namespace detail {

/// Returns how often indices are divided: the cost of an operand that keeps its shape where axes are merged.
[[nodiscard]] inline int index_divisions(ir::stage const& st) {
  int count = 0;
  auto const look = [&](ir::expr const& e) {
    auto const* b = ir::as<ir::binary>(e);
    if (b && (b->op == ir::binary_op::floor_divide || b->op == ir::binary_op::floor_modulo)) ++count;
  };
  for (auto const& c : st.components) ir::for_each_node(c.value, look);
  if (st.predicate) ir::for_each_node(st.predicate, look);
  return count;
}
[[nodiscard]] inline int index_divisions(ir::program const& p) {
  int count = 0;
  for (auto const& st : p.stages) count += index_divisions(*st);
  return count;
}

/// Returns a name that no axis of the program has.
[[nodiscard]] inline std::string unused_axis(ir::program const& p, std::string name) {
  auto const is_used = [&] {
    for (auto const& st : p.stages)
      for (auto const* axes : {&st->axes, &st->reduction.axes})
        for (auto const& a : *axes)
          if (a.name == name) return true;
    return false;
  };
  while (is_used()) name += "_";
  return name;
}

}  // namespace detail

/// Returns the step for the next two reduced axes that form one row in all their operands, and its plan; nothing if
/// there are none. Reductions with a free axis for the vector lanes are excluded.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_long_row(space const& so_far, plan const& p,
                                                                        target const& machine) {
  auto const divisions = detail::index_divisions(*p.program);
  for (auto const& st : p.stages) {
    auto const& axes = st.definition->reduction.axes;
    auto const first = st.definition->axes.size();
    if (axes.size() < 2 || choose_vector_axis(p, st, machine.lanes(st.definition->type())).score >= 0) continue;
    for (auto x = axes.size() - 1; x-- > 0;) {
      if (contiguous_reduced_axis(p, st) != static_cast<std::int32_t>(first + x + 1)) continue;
      auto const name = detail::unused_axis(*p.program, axes[x].name + axes[x + 1].name);
      auto made = detail::with_step(  // refused if they are no neighbours in memory
          so_far, {primitive::fuse_axes, st.definition->name, {axes[x].name, axes[x + 1].name}, {name}, {}});
      if (made && detail::index_divisions(*made->second.program) <= divisions) return made;
    }
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
