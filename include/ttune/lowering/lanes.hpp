// SPDX-License-Identifier: Apache-2.0
// Threads of a block as lanes of warps: the variables that represent them in indices.
#pragma once

#include <string>

#include "ttune/arith/substitute.hpp"
#include "ttune/core/matrix_product.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Names of variables for the parts of a thread's number. Variables of a statement tree never contain @ in their names.
namespace lane_variable {

inline constexpr char const* group = "@group";      ///< number of the group of four warps
inline constexpr char const* quarter = "@quarter";  ///< 0 … 3: number of the warp in its group
inline constexpr char const* warp = "@warp";
inline constexpr char const* row = "@row";        ///< 0 … 7: position among lanes with different rows
inline constexpr char const* column = "@column";  ///< 0 … 3: position among lanes with different columns
/// Column index (as `column`) of the lane whose column this lane loads.
inline constexpr char const* owner = "@owner";
inline constexpr char const* part = "@part";            ///< 0, 1: which of that lane's columns
inline constexpr char const* piece_row = "@piece_row";  ///< 0 … 7: row whose address a lane gives to ldmatrix
inline constexpr char const* piece = "@piece";          ///< 0 … 3: piece of that row
inline constexpr char const* others = "@others";        ///< a thread in a direction that is not a lane

}  // namespace lane_variable

[[nodiscard]] inline ir::expr divided(ir::expr a, std::int64_t by) {
  return ir::make_binary(ir::binary_op::floor_divide, std::move(a), ir::make_index(by));
}
[[nodiscard]] inline ir::expr rest_of(ir::expr a, std::int64_t by) {
  return ir::make_binary(ir::binary_op::floor_modulo, std::move(a), ir::make_index(by));
}

/// Replaces a number by `whole * unit + part`; divisions of it are replaced first, since each is by a multiple or by a
/// divisor of `unit`.
[[nodiscard]] inline ir::expr in_parts(ir::expr const& e, std::string const& number, std::int64_t unit,
                                       ir::expr const& whole, ir::expr const& part) {
  auto const is_number = [&](ir::expr const& n) {
    auto const* v = ir::as<ir::variable>(n);
    return v && v->name == number;
  };
  auto const separated = ir::rewrite(e, [&](ir::expr const& n) {
    auto const* b = ir::as<ir::binary>(n);
    if (!b || !is_number(b->left) || !ir::is_constant(b->right)) return n;
    auto const by = ir::constant_integer(b->right);
    if (by <= 0) return n;
    if (b->op == ir::binary_op::floor_divide && by % unit == 0) return divided(whole, by / unit);
    if (b->op == ir::binary_op::floor_divide && unit % by == 0)
      return whole * ir::make_index(unit / by) + divided(part, by);
    if (b->op == ir::binary_op::floor_modulo && by % unit == 0)
      return rest_of(whole, by / unit) * ir::make_index(unit) + part;
    if (b->op == ir::binary_op::floor_modulo && unit % by == 0) return rest_of(part, by);
    return n;
  });
  return arith::substitute(separated, number, whole * ir::make_index(unit) + part);
}

/// Replaces a thread's number by warp and lane.
[[nodiscard]] inline ir::expr thread_by_lanes(ir::expr const& e, std::string const& thread) {
  constexpr std::int64_t warp_threads = matrix_product::lanes_of_rows * matrix_product::lanes_of_columns;
  auto const lane = ir::make_variable(lane_variable::row) * ir::make_index(matrix_product::lanes_of_columns) +
                    ir::make_variable(lane_variable::column);
  return in_parts(e, thread, warp_threads, ir::make_variable(lane_variable::warp), lane);
}

}}}  // namespace ttune::v0::lowering
