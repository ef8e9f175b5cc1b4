// SPDX-License-Identifier: Apache-2.0
// Finds the cache lines that a read touches while some loops run: the places that a prefetch names.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct line_loop {
  std::string variable;
  std::int64_t extent;
};

/// Returns the distance in elements between two iterations, as far as lines matter. 0 means the same element; a move to
/// another row counts as further than any line is long.
[[nodiscard]] inline std::int64_t elements_ahead(std::vector<ir::expr> const& indices, std::string const& variable) {
  constexpr std::int64_t far = 1 << 20;
  auto const is_variable = [&](ir::expr const& part) {
    auto const* v = ir::as<ir::variable>(part);
    return v && v->name == variable;
  };
  std::int64_t step = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    auto const form = arith::to_affine(indices[d]);
    std::int64_t moves = 0;
    if (form) moves = form->coefficient_of(variable);
    else if (ir::contains(indices[d], is_variable)) moves = far;
    if (moves != 0) step = d + 1 == indices.size() && step == 0 && moves > 0 ? moves : far;
  }
  return step;
}

/// Returns `indices` for every line of `elements_a_line` elements; nothing if there are more than `most` lines.
[[nodiscard]] inline std::vector<std::vector<ir::expr>> prefetched_lines(std::vector<ir::expr> const& indices,
                                                                         std::vector<line_loop> const& inside,
                                                                         std::int64_t elements_a_line,
                                                                         std::size_t most) {
  std::vector<std::vector<ir::expr>> places = {indices};
  for (auto const& l : inside) {
    auto const step = elements_ahead(places[0], l.variable);
    if (step == 0) continue;
    std::vector<std::vector<ir::expr>> more;
    for (auto const& place : places)
      for (std::int64_t i = 0; i < l.extent; i += std::max<std::int64_t>(1, elements_a_line / step)) {
        if (more.size() == most) return {};
        auto& moved = more.emplace_back();
        for (auto const& e : place)
          moved.push_back(primitives::map_variables(
              e, [&](std::string const& v) { return v == l.variable ? ir::make_index(i) : ir::expr{}; }));
      }
    places = std::move(more);
  }
  return places;
}

}}}  // namespace ttune::v0::detail
