// SPDX-License-Identifier: Apache-2.0
// Operators of knob expressions on intervals: what an expression may be while some knobs have no choice yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ttune/space/constraint.hpp"
#include "ttune/space/saturating.hpp"

namespace ttune { inline namespace v0 { namespace detail {

using expression_op = knob_expression::op;

struct value_interval {
  std::int64_t low;
  std::int64_t high;
};

inline value_interval point(std::int64_t value) noexcept { return {value, value}; }
inline bool always(value_interval a) noexcept { return a.low > 0 || a.high < 0; }
inline bool never(value_interval a) noexcept { return a.low == 0 && a.high == 0; }
inline value_interval truth(bool certain, bool impossible) noexcept { return {certain ? 1 : 0, impossible ? 0 : 1}; }
inline value_interval hull(value_interval a, value_interval b) noexcept {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Computes an interval for operators that are monotone in each operand where b does not change its sign.
inline value_interval corners(expression_op what, value_interval a, value_interval b) noexcept {
  auto const p = apply(what, a.low, b.low);
  auto const q = apply(what, a.low, b.high);
  auto const r = apply(what, a.high, b.low);
  auto const s = apply(what, a.high, b.high);
  return {std::min({p, q, r, s}), std::max({p, q, r, s})};
}

inline std::int64_t magnitude(value_interval a) noexcept { return std::max(a.high, saturating_subtract(0, a.low)); }

inline value_interval quotient(expression_op what, value_interval a, value_interval b) noexcept {
  if (b.low > 0 || b.high < 0) return corners(what, a, b);
  auto const most = magnitude(a);
  return {saturating_subtract(0, most), most};
}

inline value_interval remainder_of(value_interval a, value_interval b) noexcept {
  if (a.low == a.high && b.low == b.high) return point(apply(expression_op::modulo, a.low, b.low));
  if (b.low > 0 && a.low >= 0) return a.high < b.low ? a : value_interval{0, std::min(a.high, b.high - 1)};
  auto const most = magnitude(b);
  return {b.low >= 0 ? 0 : saturating_subtract(0, most), most};
}

/// Returns an interval with all values of `a what b` for a and b in the intervals; it may have more, never fewer.
[[nodiscard]] inline value_interval apply(expression_op what, value_interval a, value_interval b) noexcept {
  switch (what) {
    case expression_op::add:
    case expression_op::minimum:
    case expression_op::maximum: return {apply(what, a.low, b.low), apply(what, a.high, b.high)};
    case expression_op::subtract: return {saturating_subtract(a.low, b.high), saturating_subtract(a.high, b.low)};
    case expression_op::multiply: return corners(what, a, b);
    case expression_op::divide:
    case expression_op::ceil_divide: return quotient(what, a, b);
    case expression_op::modulo: return remainder_of(a, b);
    case expression_op::less: return truth(a.high < b.low, a.low >= b.high);
    case expression_op::less_equal: return truth(a.high <= b.low, a.low > b.high);
    case expression_op::equal:
      return truth(a.low == a.high && b.low == b.high && a.low == b.low, a.high < b.low || b.high < a.low);
    case expression_op::not_equal:
      return truth(a.high < b.low || b.high < a.low, a.low == a.high && b.low == b.high && a.low == b.low);
    case expression_op::logical_and: return truth(always(a) && always(b), never(a) || never(b));
    case expression_op::logical_or: return truth(always(a) || always(b), never(a) && never(b));
    case expression_op::logical_not: return truth(never(a), always(a));
    case expression_op::value:
    case expression_op::select: break;
  }
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}

}}}  // namespace ttune::v0::detail
