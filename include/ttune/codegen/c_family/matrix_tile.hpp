// SPDX-License-Identifier: Apache-2.0
// Statements of matrix instructions (lowering/match_matrix_products.hpp) as their emitters read them.
#pragma once

#include <string>
#include <vector>

#include "ttune/core/matrix_product.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/lowering/lanes.hpp"
#include "ttune/lowering/matrix_tile.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

namespace lane_variable = lowering::lane_variable;
using lowering::divided;
using lowering::refuse_tile;
using lowering::rest_of;

/// An operand of a matrix product: a buffer, and indices in terms of lanes.
struct matrix_operand {
  ir::buffer const& from;
  std::vector<ir::expr> const& indices;
};

[[nodiscard]] inline matrix_operand left_of(ir::matrix_multiply const& m) {
  return {buffer_of(*ir::as<ir::access>(m.left)), m.left_by_lanes};
}
[[nodiscard]] inline matrix_operand right_of(ir::matrix_multiply const& m) {
  return {buffer_of(*ir::as<ir::access>(m.right)), m.right_by_lanes};
}

/// A product that one warp computes.
struct matrix_tile {
  explicit matrix_tile(ir::matrix_multiply const& m)
      : rows(m.loops[0].variable),
        columns(m.loops[1].variable),
        terms(m.loops[2].variable),
        sum(m.sum),
        left(left_of(m)),
        right(right_of(m)),
        how(*matrix_product_of(left.from.type, right.from.type, sum.to->type,
                               static_cast<std::int32_t>(extent_from_zero(m.loops[2])))) {}

  std::string const& rows;  ///< variables of the loops
  std::string const& columns;
  std::string const& terms;
  ir::store const& sum;
  matrix_operand left;
  matrix_operand right;
  matrix_product how;
};

/// Returns true for a product of one warp, and for unrolled loops that contain only such a product.
[[nodiscard]] inline bool is_matrix_tile_sequence(ir::stmt const& s) {
  if (auto const* m = ir::as<ir::matrix_multiply>(s)) return m->unit == ir::matrix_unit::warp;
  auto const* l = ir::as<ir::loop>(s);
  return l && l->kind == ir::loop_kind::unrolled && ir::is_constant(l->begin) && ir::is_constant(l->end) &&
         is_matrix_tile_sequence(l->body);
}

/// Returns true if four warps compute a product in a statement.
[[nodiscard]] inline bool has_product_of_four_warps(ir::stmt const& s) {
  return any_statement(s, [](ir::stmt const& part) {
    auto const* m = ir::as<ir::matrix_multiply>(part);
    return m && m->unit == ir::matrix_unit::four_warps;
  });
}

}}}}  // namespace ttune::v0::codegen::c_family
