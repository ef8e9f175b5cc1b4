// SPDX-License-Identifier: Apache-2.0
// Indices that a boundary redirects (limited, mirrored or periodic), and the conditions under which it does not.
#pragma once

#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// Returns an index that a boundary redirects: limited, mirrored or periodic; otherwise null.
[[nodiscard]] inline ir::binary const* as_turn(ir::expr const& e) {
  auto const* b = ir::as<ir::binary>(e);
  if (!b || e->type != dtype::index) return nullptr;
  bool const turns = b->op == ir::binary_op::minimum || b->op == ir::binary_op::maximum ||
                     (b->op == ir::binary_op::floor_modulo && ir::is_constant(b->right));
  return turns ? b : nullptr;
}

/// Returns the index as it is between the limits, where nothing redirects it.
[[nodiscard]] inline ir::expr straight(ir::expr const& e) {
  auto const* turn = as_turn(e);
  return turn ? straight(turn->left) : ir::map_operands(e, straight);
}

/// Appends the conditions under which the index is not redirected: left >= limit, left <= limit, 0 <= left < period.
inline void conditions_of_turn(ir::binary const& turn, arith::ranges const& known, std::vector<ir::expr>& out) {
  auto const inner = straight(turn.left);
  auto const limit = straight(turn.right);
  if (turn.op == ir::binary_op::minimum) return out.push_back(ir::make_binary(ir::binary_op::less_equal, inner, limit));
  if (turn.op == ir::binary_op::maximum) return out.push_back(ir::make_binary(ir::binary_op::less_equal, limit, inner));
  auto const period = ir::constant_integer(limit);
  auto const range = arith::bounds(inner, known);
  if (range.low <= -period || range.high >= 2 * period) return;  // there are too many periods
  out.push_back(ir::make_binary(ir::binary_op::less_equal, ir::make_index(0), inner));
  out.push_back(ir::make_binary(ir::binary_op::less, inner, limit));
}

}}}}  // namespace ttune::v0::lowering::detail
