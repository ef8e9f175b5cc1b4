// SPDX-License-Identifier: Apache-2.0
// The error of the result of an operation with two operands: their errors, and its own rounding.
#pragma once

#include "ttune/core/dtype.hpp"
#include "ttune/ir/bounding/error_expressions.hpp"
#include "ttune/ir/bounding/operation_errors.hpp"
#include "ttune/ir/bounding/rounding.hpp"
#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail { namespace bounding {

/// Returns the error of a sum or a product: `before`, which its operands cause, and its own rounding. `any_order`:
/// other roundings may occur than those of this order.
inline expr with_own_rounding(expr const& e, expr const& before, bool any_order) {
  auto const type = computed_in(e->type);
  return total(before, any_order ? some_units(wide(e), before, type, 1) : error_of_rounding(e, type, before));
}

inline expr change_of_product(expr const& a, expr const& b, expr const& left, expr const& right) {
  auto const made = total(left ? left * magnitude(b) : left, right ? right * magnitude(a) : right);
  if (!made) return made;
  return capped(left && right ? made + left * right * real_number(2) : made);
}

inline expr error_of_quotient(expr const& e, expr const& divisor, expr const& left, expr const& right) {
  auto const q = magnitude(wide(e));
  expr before = left;
  if (right) {
    auto const least = magnitude(divisor) - reach(right);
    auto const change = quotient(or_zero(left) + q * right, least);
    before = if_positive(or_zero(left) + right, where(is_less(real_number(0), least), change, without_bound()));
  } else if (left) {
    before = if_positive(left, capped(quotient(left, magnitude(divisor))));
  }
  auto const type = computed_in(e->type);
  return total(before, some_units(wide(e), before, type, 2)) + real_number(2 * underflow_error(type));
}

/// Bounds a - b trunc(a / b): the quotient either stays, or the remainder is any.
inline expr change_of_remainder(expr const& a, expr const& b, expr const& left, expr const& right) {
  auto const q = quotient(a, b);
  auto const least = magnitude(b) - reach(right);
  auto const off = quotient(or_zero(left) + magnitude(q) * or_zero(right), least);
  auto const whole = [](expr const& x) { return wide(make_cast(dtype::i64, x)); };
  auto const stays = both(is_less(off, real_number(0.5)),
                          make_binary(binary_op::less_equal, change_of(q, off, whole), real_number(0)));
  auto const kept = or_zero(left) + magnitude(whole(q)) * or_zero(right);
  auto const any = magnitude(b) + or_zero(right) + kept;
  auto const change = where(is_less(real_number(0), least), where(stays, kept, any), without_bound());
  return if_positive(or_zero(left) + or_zero(right), change);
}

/// Bounds |(a + d)^(b + f) - a^b|: by a^b (exp(t) - 1) <= a^b t exp(t) with t = |b| |d| / (|a| - |d|) + |log a| |f|
/// away from zero, and by |b| (|a| + |d|)^(b - 1) |d| if b >= 1 is exact.
inline expr change_of_power(binary const& b, expr const& power, expr const& left, expr const& right) {
  auto const a = wide(b.left);
  auto const exponent = wide(b.right);
  auto const least = magnitude(a) - reach(left);
  auto const base = quotient(or_zero(left), least);
  auto const steps = magnitude(make_unary(unary_op::log, magnitude(a))) + base * real_number(2);
  auto const t = magnitude(exponent) * base + (right ? steps * right : real_number(0));
  auto const relative = capped(magnitude(power) * t * make_unary(unary_op::exp, t * real_number(2)));
  auto const whole = make_binary(binary_op::equal, make_unary(unary_op::round, exponent), exponent);
  auto const exact_exponent = make_unary(unary_op::logical_not, is_positive(or_zero(right)));
  auto const below = make_binary(binary_op::power, magnitude(a) + reach(left), exponent - real_number(1));
  auto const near_zero = both(make_binary(binary_op::less_equal, real_number(1), exponent),
                              is_nonnegative(b.left) ? exact_exponent : both(exact_exponent, whole));
  auto const positive = is_less(real_number(0), a);
  auto const away =
      both(is_less(real_number(0), least), make_binary(binary_op::logical_or, positive, both(exact_exponent, whole)));
  return if_positive(or_zero(left) + or_zero(right),
                     where(away, relative, where(near_zero, exponent * below * or_zero(left), without_bound())));
}

/// Bounds an operation on integers that depend on floats.
inline expr error_of_integer(expr const& e, binary const& b, expr const& left, expr const& right) {
  auto const a = wide(b.left);
  auto const c = wide(b.right);
  auto const any = or_zero(left) + or_zero(right);
  auto const if_exact_divisor = [&](expr const& change) {
    return if_positive(any, right ? where(is_positive(right), without_bound(), change) : change);
  };
  switch (b.op) {
    case binary_op::minimum:
    case binary_op::maximum: return larger_of(left, right);
    case binary_op::add:
    case binary_op::subtract: return if_held(e, any);
    case binary_op::multiply: return if_held(e, change_of_product(a, c, left, right));
    case binary_op::divide:
    case binary_op::floor_divide: return if_exact_divisor(quotient(or_zero(left), magnitude(c)) + real_number(1));
    case binary_op::modulo:
    case binary_op::floor_modulo: return if_exact_divisor(magnitude(c) * real_number(2));
    default: return if_positive(any, without_bound());
  }
}

/// Bounds a condition: 1 if it may differ.
inline expr error_of_condition(binary const& b, expr const& left, expr const& right) {
  auto const any = or_zero(left) + or_zero(right);
  if (b.op == binary_op::logical_and || b.op == binary_op::logical_or) {
    // A side that certainly decides makes the other one unimportant.
    bool const decides = b.op == binary_op::logical_or;
    auto const sure = [&](expr const& side, expr const& error) {
      auto const value = decides ? side : make_unary(unary_op::logical_not, side);
      return error ? both(value, make_unary(unary_op::logical_not, is_positive(error))) : value;
    };
    auto const decided = make_binary(binary_op::logical_or, sure(b.left, left), sure(b.right, right));
    return if_positive(any, where(decided, {}, real_number(1)));
  }
  auto const gap = magnitude(wide(b.left) - wide(b.right));
  return if_positive(any, where(is_less(reach(any), gap), {}, real_number(1)));
}

/// Bounds an operation on two operands with these errors.
inline expr error_of_binary(expr const& e, binary const& b, expr const& left, expr const& right, bool any_order) {
  if (e->type == dtype::boolean) return left || right ? error_of_condition(b, left, right) : expr();
  if (!is_float(e->type)) return left || right ? error_of_integer(e, b, left, right) : expr();
  auto const a = wide(b.left);
  auto const c = wide(b.right);
  switch (b.op) {
    case binary_op::minimum:
    case binary_op::maximum: return larger_of(left, right);
    case binary_op::add:
    case binary_op::subtract: return with_own_rounding(e, total(left, right), any_order);
    case binary_op::multiply: return with_own_rounding(e, change_of_product(a, c, left, right), any_order);
    case binary_op::divide: return error_of_quotient(e, c, left, right);
    case binary_op::modulo: return left || right ? change_of_remainder(a, c, left, right) : expr();
    case binary_op::power: {
      auto const carried = left || right ? change_of_power(b, wide(e), left, right) : expr();
      auto const type = computed_in(e->type);
      return total(carried, some_units(wide(e), carried, type, 8) + real_number(type == dtype::f64 ? 0 : 0x1p-140));
    }
    default: return left || right ? without_bound() : expr();
  }
}

}}}}}  // namespace ttune::v0::ir::detail::bounding
