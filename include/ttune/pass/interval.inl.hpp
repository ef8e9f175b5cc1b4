// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "ttune/pass/bounds_of_data.hpp"
#include "ttune/pass/interval.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0::pass {

namespace detail {

inline std::int64_t clamped(std::int64_t v) { return std::clamp(v, unbounded.low, unbounded.high); }

/// Adds two ends of the same side. The sum is missing if one of them is.
inline std::int64_t add_ends(std::int64_t a, std::int64_t b) {
  if (a <= unbounded.low || b <= unbounded.low) return unbounded.low;
  if (a >= unbounded.high || b >= unbounded.high) return unbounded.high;
  return clamped(a + b);
}
inline std::int64_t multiply_ends(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return clamped(product);
  return (a < 0) == (b < 0) ? unbounded.high : unbounded.low;
}

inline interval sum_of(interval a, interval b) { return {add_ends(a.low, b.low), add_ends(a.high, b.high)}; }
inline interval product_of(interval a, interval b) {
  auto const [low, high] = std::minmax({multiply_ends(a.low, b.low), multiply_ends(a.low, b.high),
                                        multiply_ends(a.high, b.low), multiply_ends(a.high, b.high)});
  return {low, high};
}
inline interval hull_of(interval a, interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

/// Divides an interval by one positive constant, rounding down.
inline interval quotient_of(interval a, std::int64_t by) {
  return {a.low <= unbounded.low ? a.low : floor_divide(a.low, by),
          a.high >= unbounded.high ? a.high : floor_divide(a.high, by)};
}
inline interval remainder_of(interval a, std::int64_t by) {
  auto const whole = quotient_of(a, by);
  if (is_bounded(a) && whole.low == whole.high) return {a.low - whole.low * by, a.high - whole.low * by};
  return {0, by - 1};
}

inline interval range_of_type(dtype t) {
  if (t == dtype::boolean) return {0, 1};
  auto const bits = 8 * static_cast<int>(size_in_bytes(t));
  if (!is_integer(t) || bits > 32) return unbounded;
  if (is_unsigned(t)) return {0, (std::int64_t{1} << bits) - 1};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

inline interval binary_bounds(ir::binary const& b, ranges const& known) {
  auto const x = bounds(b.left, known);
  auto const y = bounds(b.right, known);
  bool const by_constant = y.low == y.high && y.low > 0;
  switch (b.op) {
    case ir::binary_op::minimum: return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case ir::binary_op::maximum: return {std::max(x.low, y.low), std::max(x.high, y.high)};
    case ir::binary_op::multiply: return product_of(x, y);
    case ir::binary_op::floor_divide: return by_constant ? quotient_of(x, y.low) : unbounded;
    case ir::binary_op::floor_modulo: return by_constant ? remainder_of(x, y.low) : unbounded;
    default: return unbounded;
  }
}

/// Returns the bounds of an expression that is no sum.
inline interval atom_bounds(ir::expr const& e, ranges const& known) {
  if (auto const* v = ir::as<ir::variable>(e)) {
    auto const it = known.find(v->name);
    return it == known.end() ? unbounded : it->second;
  }
  if (auto const* b = ir::as<ir::binary>(e)) return binary_bounds(*b, known);
  if (auto const* s = ir::as<ir::select>(e)) return hull_of(bounds(s->when_true, known), bounds(s->when_false, known));
  if (auto const* c = ir::as<ir::cast>(e)) return c->operand->type == dtype::index ? bounds(c->operand, known) : bounds_of_data(c->operand);
  return unbounded;
}

}  // namespace detail

TTUNE_INLINE interval bounds(linear const& form, ranges const& known) {
  interval sum{form.constant, form.constant};
  for (auto const& [atom, c] : form.terms)
    sum = detail::sum_of(sum, detail::product_of(detail::atom_bounds(atom, known), {c, c}));
  return sum;
}

TTUNE_INLINE interval bounds(affine const& form, ranges const& known) {
  interval sum{form.constant, form.constant};
  for (auto const& [name, c] : form.terms) {
    auto const it = known.find(name);
    if (it == known.end()) return unbounded;
    sum = detail::sum_of(sum, detail::product_of(it->second, {c, c}));
  }
  return sum;
}

TTUNE_INLINE interval bounds(ir::expr const& e, ranges const& known) { return bounds(to_linear(e), known); }

TTUNE_INLINE ranges ranges_of(ir::stage const& s) {
  ranges known;
  for (auto const* axes : {&s.axes, &s.reduction.axes})
    for (auto const& a : *axes) known[a.name] = {a.begin, a.end.value - 1};
  return known;
}

}  // namespace ttune::inline v0::pass
