// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/arith/bounds_of_data.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace arith {

namespace detail {

/// Returns the bounds of C++'s quotient, and of its remainder, by a positive constant.
inline interval truncated_quotient(interval a, std::int64_t by) { return {a.low / by, a.high / by}; }
inline interval truncated_remainder(interval a, std::int64_t by) {
  return {a.low < 0 ? std::max(a.low, 1 - by) : 0, a.high > 0 ? std::min(a.high, by - 1) : 0};
}

/// Returns the bounds of an operation in exact arithmetic.
inline interval exact_bounds(ir::binary const& b, ranges const& known) {
  auto const x = bounds_of_data(b.left, known);
  auto const y = bounds_of_data(b.right, known);
  bool const by_constant = y.low == y.high && y.low > 0;
  switch (b.op) {
    case ir::binary_op::add: return sum_of(x, y);
    case ir::binary_op::subtract: return sum_of(x, product_of(y, {-1, -1}));
    case ir::binary_op::multiply: return product_of(x, y);
    case ir::binary_op::minimum: return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case ir::binary_op::maximum: return {std::max(x.low, y.low), std::max(x.high, y.high)};
    case ir::binary_op::divide: return by_constant && is_bounded(x) ? truncated_quotient(x, y.low) : unbounded;
    case ir::binary_op::modulo: return by_constant && is_bounded(x) ? truncated_remainder(x, y.low) : unbounded;
    default: return unbounded;
  }
}

inline interval exact_bounds(ir::unary const& u, ranges const& known) {
  auto const x = bounds_of_data(u.operand, known);
  auto const negative = product_of(x, {-1, -1});
  if (u.op == ir::unary_op::negate) return negative;
  if (u.op != ir::unary_op::abs) return unbounded;
  return {x.low > 0 ? x.low : x.high < 0 ? negative.low : 0, std::max(x.high, negative.high)};
}

/// Returns integers that enclose all values of a float expression except NaN. Constants are exact up to 2^24.
inline interval bounds_of_floats(ir::expr const& e) {
  constexpr double exact = 1 << 24;
  if (e->type != dtype::f32 && e->type != dtype::f64) return unbounded;
  if (auto const* c = ir::as<ir::constant>(e); c && std::abs(c->real) < exact)
    return {static_cast<std::int64_t>(std::floor(c->real)), static_cast<std::int64_t>(std::ceil(c->real))};
  if (auto const* u = ir::as<ir::unary>(e)) {
    bool const rounds = u->op == ir::unary_op::floor || u->op == ir::unary_op::ceil || u->op == ir::unary_op::round;
    return rounds ? bounds_of_floats(u->operand) : unbounded;
  }
  auto const* b = ir::as<ir::binary>(e);
  if (!b || (b->op != ir::binary_op::minimum && b->op != ir::binary_op::maximum)) return unbounded;
  auto const x = bounds_of_floats(b->left);
  auto const y = bounds_of_floats(b->right);
  bool const least = b->op == ir::binary_op::minimum;
  return least ? interval{std::min(x.low, y.low), std::min(x.high, y.high)}
               : interval{std::max(x.low, y.low), std::max(x.high, y.high)};
}

/// Returns the bounds of a conversion in exact arithmetic. Floats that are too large saturate, and NaN becomes 0.
inline interval converted_bounds(ir::expr const& operand, interval const& all, ranges const& known) {
  if (operand->type == dtype::index) return bounds(operand, known);
  if (is_data(operand->type) || operand->type == dtype::boolean) return bounds_of_data(operand, known);
  if (!is_float(operand->type)) return all;
  auto const x = hull_of(bounds_of_floats(operand), {0, 0});
  return {std::clamp(x.low, all.low, all.high), std::clamp(x.high, all.low, all.high)};
}

/// Returns the bounds of an operand's elements: of a table those of its content, else those that are declared.
inline interval bounds_of_elements(ir::access const& a, interval const& all) {
  auto const* t = std::get_if<handle<ir::tensor>>(&a.from);
  if (!t || a.outside != ir::boundary::none) return all;
  if (auto const& content = (*t)->content; !content.empty() && is_integer((*t)->type)) {
    auto const [low, high] = std::minmax_element(content.begin(), content.end());
    constexpr double exact = 1LL << 53;
    if (*low < -exact || *high > exact) return all;
    return {static_cast<std::int64_t>(*low), static_cast<std::int64_t>(*high)};
  }
  return (*t)->has_range ? interval{(*t)->low, (*t)->high - 1} : all;
}

}  // namespace detail

namespace detail {

/// Returns the bounds of an expression as if its last operation did not wrap.
inline interval unwrapped_bounds(ir::expr const& e, interval const& all, ranges const& known) {
  if (auto const* a = ir::as<ir::access>(e)) return bounds_of_elements(*a, all);
  if (auto const* n = ir::as<ir::cast>(e)) return converted_bounds(n->operand, all, known);
  if (auto const* n = ir::as<ir::binary>(e); n && is_data(e->type)) return exact_bounds(*n, known);
  if (auto const* n = ir::as<ir::unary>(e); n && is_data(e->type)) return exact_bounds(*n, known);
  if (auto const* n = ir::as<ir::select>(e))
    return hull_of(bounds_of_data(n->when_true, known), bounds_of_data(n->when_false, known));
  return all;
}

inline interval bounds_of_type(dtype type) {
  return type == dtype::u64 ? interval{0, unbounded.high} : range_of_type(type);
}

/// Returns true if the last operation of an expression does not wrap.
inline bool stays_inside(dtype type, interval const& exact) {
  bool const may_wrap = bits_of(type) == 64 && !is_bounded(exact);
  return !may_wrap && contains(bounds_of_type(type), exact);
}

}  // namespace detail

interval bounds_of_data(ir::expr const& e, ranges const& known) {
  if (auto const* c = ir::as<ir::constant>(e)) return {c->integer, c->integer};
  auto const all = detail::bounds_of_type(e->type);
  auto const exact = detail::unwrapped_bounds(e, all, known);
  return detail::stays_inside(e->type, exact) ? exact : all;
}

bool is_exact(ir::expr const& e, ranges const& known) {
  return ir::is_constant(e) ||
         detail::stays_inside(e->type, detail::unwrapped_bounds(e, detail::bounds_of_type(e->type), known));
}

}}}  // namespace ttune::v0::arith
