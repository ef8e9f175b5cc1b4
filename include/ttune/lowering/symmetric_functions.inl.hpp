// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/symmetric_functions.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

inline bool is_odd(ir::unary_op op) {
  return op == ir::unary_op::sin || op == ir::unary_op::tanh || op == ir::unary_op::erf;
}
inline bool is_even(ir::unary_op op) { return op == ir::unary_op::cos || op == ir::unary_op::abs; }

/// Returns -e if that is written with one sign less; null otherwise. Signs are looked for in factors and quotients.
inline ir::expr without_sign(ir::expr const& e) {
  if (auto const* u = ir::as<ir::unary>(e)) return u->op == ir::unary_op::negate ? u->operand : ir::expr{};
  if (auto const* c = ir::as<ir::constant>(e)) return c->real < 0 ? ir::make_number(e->type, -c->real) : ir::expr{};
  if (auto const* c = ir::as<ir::cast>(e)) {
    auto const made = is_float(c->operand->type) ? without_sign(c->operand) : ir::expr{};
    return made ? ir::make_cast(e->type, made) : made;
  }
  auto const* b = ir::as<ir::binary>(e);
  if (!b || (b->op != ir::binary_op::multiply && b->op != ir::binary_op::divide)) return {};
  if (auto const left = without_sign(b->left)) return ir::make_binary(b->op, left, b->right);
  auto const right = without_sign(b->right);
  return right ? ir::make_binary(b->op, b->left, right) : right;
}

}  // namespace detail

ir::expr symmetric_functions(ir::expr const& e) {
  auto const made = ir::map_operands(e, [](ir::expr const& o) { return symmetric_functions(o); });
  auto const* u = ir::as<ir::unary>(made);
  if (!u || !is_float(made->type) || !(detail::is_odd(u->op) || detail::is_even(u->op))) return made;
  auto operand = u->operand;
  bool is_negative = false;
  while (auto const positive = detail::without_sign(operand)) operand = positive, is_negative = !is_negative;
  if (operand == u->operand) return made;
  auto const function = ir::make_unary(u->op, operand);
  return is_negative && detail::is_odd(u->op) ? ir::make_unary(ir::unary_op::negate, function) : function;
}

ir::stmt symmetric_functions(ir::stmt const& s) {
  if (!s) return s;
  return ir::map_parts(
      s, [](ir::stmt const& p) { return symmetric_functions(p); },
      [](ir::expr const& e) { return e->type == dtype::index ? e : symmetric_functions(e); });
}

}}}  // namespace ttune::v0::lowering
