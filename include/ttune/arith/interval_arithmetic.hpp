// SPDX-License-Identifier: Apache-2.0
// Intervals of integers, and their arithmetic, which saturates: an end that is too far away counts as missing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "ttune/core/dtype.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// The integers from low to high; both ends belong to it.
struct interval {
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(interval const&, interval const&) = default;
};

/// The ranges of variables, by name.
using ranges = std::unordered_map<std::string, interval>;

/// Interval without ends. An end at or beyond one of these is missing; arithmetic keeps it missing.
inline constexpr interval unbounded{-(std::int64_t{1} << 60), std::int64_t{1} << 60};
[[nodiscard]] constexpr bool is_bounded(interval const& i) noexcept {
  return i.low > unbounded.low && i.high < unbounded.high;
}
[[nodiscard]] constexpr bool is_inside(interval const& i, std::int64_t begin, std::int64_t end) noexcept {
  return begin <= i.low && i.high < end;
}

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

}  // namespace detail

/// Returns the interval of all values of an integer type. It is unbounded for 64 bits, and for other types.
[[nodiscard]] inline interval range_of_type(dtype t) {
  if (t == dtype::boolean) return {0, 1};
  auto const bits = 8 * static_cast<int>(size_in_bytes(t));
  if (!is_integer(t) || bits > 32) return unbounded;
  if (is_unsigned(t)) return {0, (std::int64_t{1} << bits) - 1};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

/// Returns true if `outer` has every number of `inner`.
[[nodiscard]] constexpr bool contains(interval const& outer, interval const& inner) noexcept {
  return outer.low <= inner.low && inner.high <= outer.high;
}

}}}  // namespace ttune::v0::arith
