// SPDX-License-Identifier: Apache-2.0
// Merges a short innermost axis, such as the colours of a pixel, with the axis before it where all operands move by
// whole pixels: filters, sums and maps of interleaved images. Vectors then run along the row whatever the number of
// colours is, and no phases are needed (short_rows.hpp has the other cases).
//
//   O(y, x, c) = A(y, x, c) + A(y, x + 1, c)      →      O(y, xc) = A(y, xc) + A(y, xc + 3)    fuse_axes(x, c, xc)
//
// Rows that end in the nearest pixel are read at min(xc / 3 + 1, X - 1) * 3 + xc % 3: inside of the image, where most
// lanes are, this is xc + 3.
#pragma once

#include <optional>
#include <utility>

#include "ttune/arith/simplify.hpp"
#include "ttune/autoschedule/cpu/long_rows.hpp"
#include "ttune/autoschedule/cpu/with_step.hpp"
#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

namespace detail {

/// Returns an index as it is between its limits.
[[nodiscard]] inline ir::expr without_limits(ir::expr const& e) {
  auto const* b = ir::as<ir::binary>(e);
  bool const limits = b && (b->op == ir::binary_op::minimum || b->op == ir::binary_op::maximum);
  return limits ? without_limits(b->left) : ir::map_operands(e, without_limits);
}

/// Returns the program with indices as they are between their limits: inside of an image.
[[nodiscard]] inline ir::program between_limits(ir::program p) {
  for (auto& st : p.stages) {
    auto const known = arith::ranges_of(*st);
    auto const inside = [&](ir::expr const&, ir::access const& a) {
      auto indices = a.indices;
      for (auto& i : indices) i = arith::simplify(without_limits(i), known);
      return ir::make_access(a.from, std::move(indices), a.outside, a.fill, a.component);
    };
    st = share(primitives::map_stage(*st, [&](ir::expr const& e) { return primitives::map_accesses(e, inside); }));
  }
  return p;
}

}  // namespace detail

/// Returns the step for the next row of pixels, and its plan; nothing if there is none.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_pixel_row(space const& so_far, plan const& p,
                                                                         target const& machine) {
  for (auto const& st : p.stages) {
    auto const& d = *st.definition;
    auto const rank = d.axes.size();
    auto const lanes = machine.lanes(d.type());
    if (rank < 2 || d.updates || !choosing_axes(d).empty() || st.axis_size(rank - 1) < 2 ||
        st.axis_size(rank - 1) >= lanes || st.axis_size(rank - 2) < lanes)
      continue;
    auto const& first = d.axes[rank - 2].name;
    auto const& second = d.axes[rank - 1].name;
    auto const row = detail::unused_axis(*p.program, first + second);
    auto made = detail::with_step(  // refused for axes that begin elsewhere, for example
        so_far, {primitive::fuse_axes, d.name, {first, second}, {row}, {}});
    if (made && detail::index_divisions(detail::between_limits(*made->second.program)) <=
                    detail::index_divisions(detail::between_limits(*p.program)))
      return made;
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
