// SPDX-License-Identifier: Apache-2.0
// Integer division for index arithmetic.
#pragma once

#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Returns the quotient rounded towards minus infinity. Requires b != 0.
[[nodiscard]] constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) noexcept {
  auto const q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
/// Returns the remainder of floor_divide, which has the sign of b.
[[nodiscard]] constexpr std::int64_t floor_modulo(std::int64_t a, std::int64_t b) noexcept {
  return a - floor_divide(a, b) * b;
}
[[nodiscard]] constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) noexcept {
  return -floor_divide(-a, b);
}

}}  // namespace ttune::v0
