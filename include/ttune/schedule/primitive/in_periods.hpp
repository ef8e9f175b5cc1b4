// SPDX-License-Identifier: Apache-2.0
// Readers of a stage one of whose axes has become two: whole periods, and places in a period (split_axis.hpp,
// split_scan.hpp).
#pragma once

#include <cstdint>

#include "ttune/arith/simplify.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// Returns a stage that reads `made`(i / period, i % period) where it reads `old`(i).
[[nodiscard]] inline ir::stage reading_in_periods(ir::stage const& st, handle<ir::stage> const& old,
                                                  handle<ir::stage> const& made, std::size_t axis,
                                                  std::int64_t period) {
  auto const known = arith::ranges_of(st);
  auto const by = ir::make_index(period);
  auto const read = [&](ir::expr const& whole, ir::access const& a) {
    if (identity(a.from) != old.get()) return whole;
    auto indices = a.indices;
    auto const place = indices[axis];
    indices[axis] = arith::simplify(ir::make_binary(ir::binary_op::floor_divide, place, by), known);
    indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                   arith::simplify(ir::make_binary(ir::binary_op::floor_modulo, place, by), known));
    return ir::make_access(ir::source(made), indices, a.outside, a.fill, a.component);
  };
  return map_stage(st, [&](ir::expr const& e) { return map_accesses(e, read); });
}

}}}  // namespace ttune::v0::primitives
