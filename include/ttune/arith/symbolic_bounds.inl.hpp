// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/arith/affine.inl.hpp"
#include "ttune/arith/interval.inl.hpp"
#include "ttune/arith/symbolic_bounds.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace arith {

namespace detail {

enum class side { low, high };
constexpr side opposite(side s) { return s == side::low ? side::high : side::low; }

/// Finds bounds over the values of inner variables.
class bound_finder {
 public:
  explicit bound_finder(ranges const& inner) : inner_(inner) {}

  [[nodiscard]] ir::expr bound(ir::expr const& e, side s) const {
    linear_form sum;
    auto const form = to_linear(e);
    sum.constant = form.constant;
    for (auto const& [atom, times] : form.terms) {
      auto const one = bound_of_atom(atom, times > 0 ? s : opposite(s));
      if (!one) return {};
      sum.add(to_linear(one), times);
    }
    return from_linear(std::move(sum));
  }

  /// Returns the condition under which `condition` (its negation if `negated`) may hold.
  [[nodiscard]] ir::expr may_hold(ir::expr const& condition, bool negated) const {
    using op = ir::binary_op;
    auto const unknown = ir::make_bool(true);
    if (auto const* c = ir::as<ir::constant>(condition)) return ir::make_bool((c->integer != 0) != negated);
    if (auto const* u = ir::as<ir::unary>(condition); u && u->op == ir::unary_op::logical_not)
      return may_hold(u->operand, !negated);
    auto const* b = ir::as<ir::binary>(condition);
    if (!b) return unknown;
    if (b->op == op::logical_and || b->op == op::logical_or)
      return ir::make_binary((b->op == op::logical_and) != negated ? op::logical_and : op::logical_or,
                             may_hold(b->left, negated), may_hold(b->right, negated));
    if (b->left->type != dtype::index) return unknown;
    if (b->op == op::less || b->op == op::less_equal) {
      // not (a < b) is b <= a
      bool const strict = (b->op == op::less) != negated;
      return below_zero(negated ? b->right - b->left : b->left - b->right, strict);
    }
    if (b->op == op::equal && !negated)
      return ir::make_binary(op::logical_and, below_zero(b->left - b->right, false),
                             below_zero(b->right - b->left, false));
    return unknown;
  }

 private:
  /// Returns where a difference may be below 0; with its terms on their positive sides after `simplify`.
  [[nodiscard]] ir::expr below_zero(ir::expr const& difference, bool strict) const {
    auto const low = bound(difference, side::low);
    if (!low) return ir::make_bool(true);
    return ir::make_binary(strict ? ir::binary_op::less : ir::binary_op::less_equal, low, ir::make_index(0));
  }

  /// Returns true if an expression neither reads memory nor has inner variables.
  [[nodiscard]] bool stays(ir::expr const& e) const {
    return !ir::contains(e, [&](ir::expr const& n) {
      auto const* v = ir::as<ir::variable>(n);
      return ir::as<ir::access>(n) || (v && inner_.count(v->name) != 0);
    });
  }

  [[nodiscard]] ir::expr bound_of_atom(ir::expr const& atom, side s) const {
    if (stays(atom)) return atom;
    if (auto const* v = ir::as<ir::variable>(atom)) {
      auto const range = inner_.at(v->name);
      if (!is_bounded(range)) return {};
      return ir::make_index(s == side::low ? range.low : range.high);
    }
    if (auto const* u = ir::as<ir::unary>(atom)) return bound_of_unary(*u, s);
    auto const* b = ir::as<ir::binary>(atom);
    return b ? bound_of_binary(*b, s) : ir::expr();
  }

  [[nodiscard]] ir::expr bound_of_unary(ir::unary const& u, side s) const {
    auto const low = bound(u.operand, side::low);
    auto const high = bound(u.operand, side::high);
    if (!low || !high) return {};
    auto const negative = [](ir::expr const& e) { return ir::make_index(0) - e; };
    auto const larger = [](ir::expr const& a, ir::expr const& b) {
      return ir::make_binary(ir::binary_op::maximum, a, b);
    };
    if (u.op == ir::unary_op::negate) return negative(s == side::low ? high : low);
    if (u.op != ir::unary_op::abs) return {};
    return s == side::high ? larger(high, negative(low)) : larger(larger(low, negative(high)), ir::make_index(0));
  }

  [[nodiscard]] ir::expr bound_of_binary(ir::binary const& b, side s) const {
    using op = ir::binary_op;
    bool const by_constant = ir::is_constant(b.right) && ir::constant_integer(b.right) > 0;
    if (b.op == op::floor_modulo && by_constant)
      return ir::make_index(s == side::low ? 0 : ir::constant_integer(b.right) - 1);
    if (b.op == op::floor_divide && by_constant) {
      auto const whole = bound(b.left, s);
      return whole ? ir::make_binary(op::floor_divide, whole, b.right) : whole;
    }
    if (b.op != op::minimum && b.op != op::maximum) return {};
    auto const left = bound(b.left, s);
    auto const right = bound(b.right, s);
    return left && right ? ir::make_binary(b.op, left, right) : ir::expr();
  }

  ranges const& inner_;
};

}  // namespace detail

ir::expr least(ir::expr const& e, ranges const& inner) {
  return detail::bound_finder(inner).bound(e, detail::side::low);
}

ir::expr greatest(ir::expr const& e, ranges const& inner) {
  return detail::bound_finder(inner).bound(e, detail::side::high);
}

ir::expr may_hold(ir::expr const& condition, ranges const& inner) {
  return detail::bound_finder(inner).may_hold(condition, false);
}

ir::expr surely_holds(ir::expr const& condition, ranges const& inner) {
  auto const fails = detail::bound_finder(inner).may_hold(condition, true);
  return ir::make_unary(ir::unary_op::logical_not, fails);
}

}}}  // namespace ttune::v0::arith
