// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/pass/affine.hpp"
#include "ttune/pass/interval.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0::pass {

namespace detail {

inline interval affine_bounds(affine const& form, ranges const& known) {
  interval sum{form.constant, form.constant};
  for (auto const& [name, c] : form.terms) {
    auto const it = known.find(name);
    if (it == known.end() || !is_bounded(it->second)) return unbounded;
    sum.low += c * (c > 0 ? it->second.low : it->second.high);
    sum.high += c * (c > 0 ? it->second.high : it->second.low);
  }
  return sum;
}

/// Division and remainder by one positive constant.
inline interval quotient_bounds(ir::binary_op op, interval a, std::int64_t by) {
  auto const first = floor_divide(a.low, by);
  auto const last = floor_divide(a.high, by);
  if (op == ir::binary_op::floor_divide) return {first, last};
  if (first == last) return {a.low - first * by, a.high - first * by};
  return {0, by - 1};
}

inline interval binary_bounds(ir::binary const& b, ranges const& known) {
  auto const x = bounds(b.left, known);
  auto const y = bounds(b.right, known);
  bool const by_constant = y.low == y.high && y.low > 0;
  if (b.op == ir::binary_op::floor_modulo && by_constant && !is_bounded(x)) return {0, y.low - 1};
  if (b.op == ir::binary_op::minimum) return {std::min(x.low, y.low), std::min(x.high, y.high)};
  if (b.op == ir::binary_op::maximum) return {std::max(x.low, y.low), std::max(x.high, y.high)};
  if (!is_bounded(x) || !is_bounded(y)) return unbounded;
  switch (b.op) {
    case ir::binary_op::add: return {x.low + y.low, x.high + y.high};
    case ir::binary_op::subtract: return {x.low - y.high, x.high - y.low};
    case ir::binary_op::multiply: {
      auto const [low, high] = std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
      return {low, high};
    }
    case ir::binary_op::floor_divide:
    case ir::binary_op::floor_modulo: return by_constant ? quotient_bounds(b.op, x, y.low) : unbounded;
    default: return unbounded;
  }
}

}  // namespace detail

TTUNE_INLINE interval bounds(ir::expr const& e, ranges const& known) {
  if (auto const form = to_affine(e)) return detail::affine_bounds(*form, known);
  if (auto const* b = ir::as<ir::binary>(e)) return detail::binary_bounds(*b, known);
  if (auto const* s = ir::as<ir::select>(e)) {
    auto const x = bounds(s->when_true, known);
    auto const y = bounds(s->when_false, known);
    return {std::min(x.low, y.low), std::max(x.high, y.high)};
  }
  return unbounded;
}

}  // namespace ttune::inline v0::pass
