// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic that stops at the ends of 64 bits.
#pragma once

#include <cstdint>
#include <limits>

namespace ttune { inline namespace v0 { namespace detail {

inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t r = 0;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}
inline std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t r = 0;
  if (!__builtin_sub_overflow(a, b, &r)) return r;
  return b < 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}
inline std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t r = 0;
  if (!__builtin_mul_overflow(a, b, &r)) return r;
  return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}
/// Returns true if a / b does not fit 64 bits.
inline bool division_overflows(std::int64_t a, std::int64_t b) noexcept {
  return a == std::numeric_limits<std::int64_t>::min() && b == -1;
}

}}}  // namespace ttune::v0::detail
