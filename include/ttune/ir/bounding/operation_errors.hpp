// SPDX-License-Identifier: Apache-2.0
// The error of the result of an operation with one operand, or of a choice: the errors of its operands, and its own
// rounding.
#pragma once

#include <cmath>

#include "ttune/core/dtype.hpp"
#include "ttune/ir/bounding/error_expressions.hpp"
#include "ttune/ir/bounding/rounding.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/ndarray.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail { namespace bounding {

inline expr error_of_constant(dtype type, double value) {
  if (!is_float(type)) return {};
  auto const off = std::abs(value - rounded_to(type, value));
  return off > 0 ? real_number(off) : expr();
}

/// Bounds `operand != 0`.
inline expr error_of_truth(expr const& operand, expr const& before) {
  auto const sure = is_less(reach(before), magnitude(wide(operand)));
  return if_positive(before, where(sure, {}, real_number(1)));
}

/// Bounds an integer that wraps around: nothing is known if it may.
inline expr if_held(expr const& e, expr const& error) {
  if (!error || e->type == dtype::index || e->type == dtype::boolean) return error;
  auto const bits = static_cast<int>(size_in_bytes(e->type)) * 8 - (is_unsigned(e->type) ? 0 : 1);
  auto const highest = std::ldexp(1, bits) - 1;
  auto const lowest = is_unsigned(e->type) ? 0 : -highest;
  auto const held =
      both(is_less(wide(e) + reach(error), real_number(highest)), is_less(real_number(lowest), wide(e) - reach(error)));
  return if_positive(error, where(held, error, without_bound()));
}

/// Bounds a conversion; `before` is the error of its operand.
inline expr error_of_cast(expr const& e, expr const& operand, expr const& before) {
  if (!before) return {};
  auto const converted = [&](expr const& x) { return wide(make_cast(e->type, x)); };
  if (e->type == dtype::boolean) return error_of_truth(operand, before);
  if (is_float(operand->type) && !is_float(e->type))
    return if_positive(before, change_of(wide(operand), before, converted));
  if (!is_float(e->type)) return operand->type == dtype::boolean ? before : if_held(e, before);
  // neither of f16 and bf16 holds all values of the other one
  bool const holds_all = e->type == operand->type || size_in_bytes(e->type) > size_in_bytes(operand->type);
  if (is_float(operand->type) && holds_all) return before;
  auto const rounded = before + some_units(wide(e), before, e->type, 2);
  return if_positive(before, smaller_of(rounded, change_of(wide(operand), before, converted)));
}

inline bool orders(binary_op op) { return op == binary_op::less || op == binary_op::less_equal; }

/// Bounds one of two values: where the condition may differ, it is either.
inline expr error_of_select(select const& n, expr const& decided, expr const& yes, expr const& no) {
  auto const either = larger_of(yes, no);
  if (auto const* c = as<binary>(n.condition); c && either && orders(c->op)) {  // a maximum or a minimum
    if (is_same(c->left, n.when_true) && is_same(c->right, n.when_false)) return either;
    if (is_same(c->right, n.when_true) && is_same(c->left, n.when_false)) return either;
  }
  auto const chosen = yes || no ? where(n.condition, yes, no) : expr();
  if (!decided) return chosen;
  return where(is_positive(decided), total(magnitude(wide(n.when_true) - wide(n.when_false)), either), chosen);
}

// ---------------------------------------------------------------------------------------------------- functions

/// Bounds the change of a function whose values are in [-1, 1]. If nothing is known of its argument, that may be NaN.
inline expr within_two(expr const& before, expr const& change) {
  return where(is_less(before, real_number(least_unknown_error)), smaller_of(change, real_number(2)), without_bound());
}

/// Bounds the change of a function by an error of its argument.
inline expr change_of_function(expr const& e, unary const& u, expr const& x, expr const& before) {
  auto const far = reach(before);
  auto const one_side = x - far;
  auto const nearest = larger_of(magnitude(x) - far, real_number(0));  // to zero, where tanh and erf are steepest
  switch (u.op) {
    case unary_op::sqrt: {  // sqrt(x + d) - sqrt(x) = d / (sqrt(x + d) + sqrt(x))
      auto const at_zero = is_nonnegative(u.operand) ? root(far) : without_bound();
      return where(is_less(real_number(0), one_side), quotient(before, root(x) + root(one_side)), at_zero);
    }
    case unary_op::log:  // |log(x + d) - log(x)| <= |d| / (x - |d|)
      return where(is_less(real_number(0), one_side), quotient(before, one_side), without_bound());
    case unary_op::exp:  // |exp(x + d) - exp(x)| <= exp(x) |d| exp(|d|)
      return capped(wide(e) * before * make_unary(unary_op::exp, far));
    case unary_op::tanh: {
      auto const t = make_unary(unary_op::tanh, nearest);
      return within_two(before, before * (real_number(1) - t * t));
    }
    case unary_op::erf: {
      auto const slope = make_unary(unary_op::exp, make_unary(unary_op::negate, nearest * nearest));
      return within_two(before, before * slope * real_number(1.1284));
    }
    case unary_op::sin:
    case unary_op::cos: return within_two(before, before);
    default: return without_bound();
  }
}

/// Bounds a function of floats; `before` is the error of its operand.
inline expr error_of_function(expr const& e, unary const& u, expr const& before) {
  auto const x = wide(u.operand);
  switch (u.op) {
    case unary_op::negate:
    case unary_op::abs: return before;
    case unary_op::floor:
    case unary_op::ceil:
    case unary_op::round: {
      auto const rounded = [&](expr const& at) { return make_unary(u.op, at); };
      return before ? if_positive(before, change_of(x, before, rounded)) : before;
    }
    case unary_op::round_to_tf32: {
      auto const rounded = [&](expr const& at) { return wide(make_unary(u.op, make_cast(dtype::f32, at))); };
      return before ? if_positive(before, change_of(x, before, rounded)) : before;
    }
    default: break;
  }
  auto const type = computed_in(e->type);
  auto const carried = before ? if_positive(before, change_of_function(e, u, x, before)) : before;
  auto const least = type == dtype::f64 ? 0x1p-1070 : 0x1p-140;  // what underflows loses more
  return total(carried, some_units(wide(e), carried, type, units_of(u.op)) + real_number(least));
}

}}}}}  // namespace ttune::v0::ir::detail::bounding
