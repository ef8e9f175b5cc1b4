// SPDX-License-Identifier: Apache-2.0
// Quotients by a constant of few bits, from two multiply-adds (N. Brisebarre, J.-M. Muller, S. K. Raina, "Accelerating
// Correctly Rounded Floating-Point Division when the Divisor Is Known in Advance", IEEE Trans. Computers 53, 2004):
// x / c is the sum of x * high and x * low, where high + low is 1 / c in twice the bits.
#pragma once

#include <cmath>
#include <optional>

#include "ttune/codegen/llvm/lane_code.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// The two parts of 1 / c. `low` has the sign of `high`, so that an infinite x gives no infinity - infinity.
struct reciprocal_parts {
  double high = 0;
  double low = 0;
};

namespace detail {

/// Returns a positive number without its factors of two.
[[nodiscard]] inline double odd_part(double c) {
  int exponent = 0;
  auto whole = std::ldexp(std::frexp(c, &exponent), 53);
  while (std::fmod(whole, 2) == 0) whole /= 2;
  return whole;
}

/// Returns 1 / c rounded to `Real` towards zero, and the rest.
template <class Real>
[[nodiscard]] reciprocal_parts parts_of_reciprocal(Real c) {
  auto high = 1 / c;
  if (std::fma(high, c, Real{-1}) > 0) high = std::nextafter(high, Real{0});
  auto const rest = -std::fma(high, c, Real{-1});  // exact
  return {static_cast<double>(high), static_cast<double>(rest / c)};
}

}  // namespace detail

/// Returns the parts if they give the quotients that a division rounds to nearest, except that a quotient near the
/// subnormal numbers (below 2^-105 of f32, 2^-972 of f64) may be the next number. Nothing for other divisors, and for
/// powers of two, by which LLVM multiplies.
///
/// With 24 bits (f64: 53), x / c has an error below 2^-46 (2^-104) before it is rounded. A quotient is no nearer to a
/// place where rounding changes than 2^-25 (2^-54) over the odd part of c: for odd parts below 2^20 (2^49) it is
/// rounded right.
[[nodiscard]] inline std::optional<reciprocal_parts> exact_reciprocal(dtype type, double divisor) {
  bool const wide = type == dtype::f64;
  auto const c = wide ? divisor : static_cast<double>(static_cast<float>(divisor));
  auto const size = std::fabs(c);
  if (!(size >= 0x1p-60 && size <= 0x1p60)) return std::nullopt;
  auto const odd = detail::odd_part(size);
  if (odd == 1 || odd >= (wide ? 0x1p49 : 0x1p20)) return std::nullopt;
  return wide ? detail::parts_of_reciprocal(c) : detail::parts_of_reciprocal(static_cast<float>(c));
}

/// Returns x / c by the parts of 1 / c. The machine has multiply-adds.
[[nodiscard]] inline lane_value constant_quotient(lane_value const& x, reciprocal_parts const& of_c) {
  return fused(x, x.number(of_c.high), x * x.number(of_c.low));
}

}}}  // namespace ttune::v0::codegen
