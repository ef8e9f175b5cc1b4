// SPDX-License-Identifier: Apache-2.0
// Polynomials of all lanes at once.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "ttune/codegen/llvm/lane_code.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Returns c[0] + c[1] x + … by Horner's rule: a chain of multiply-adds, one per degree.
[[nodiscard]] inline lane_value horner(lane_value const& x, std::vector<double> const& c) {
  auto sum = x.number(c.back());
  for (std::size_t i = c.size() - 1; i-- > 0;) sum = fused(sum, x, x.number(c[i]));
  return sum;
}

/// Returns c[0] + c[1] x + …; long ones as two parallel chains, of the even and of the odd powers.
[[nodiscard]] inline lane_value polynomial(lane_value const& x, std::vector<double> const& c) {
  constexpr std::size_t longest_chain = 6;
  if (c.size() <= longest_chain) return horner(x, c);
  std::vector<double> even;
  std::vector<double> odd;
  for (std::size_t i = 0; i < c.size(); ++i) (i % 2 == 0 ? even : odd).push_back(c[i]);
  auto const square = x * x;
  return fused(x, horner(square, odd), horner(square, even));
}

/// Splits a constant into parts of `bits` bits each; the last part is rounded to a double. Integers of few bits times a
/// part are exact, so that x - n * constant loses nothing (Cody and Waite, 1980).
[[nodiscard]] inline std::vector<double> parts_of_constant(long double constant, std::vector<int> const& bits) {
  std::vector<double> parts;
  for (int const b : bits) {
    int exponent = 0;
    (void)std::frexp(constant, &exponent);
    auto const part = std::ldexp(std::floor(std::ldexp(constant, b - exponent)), exponent - b);
    parts.push_back(static_cast<double>(part));
    constant -= part;
  }
  parts.push_back(static_cast<double>(constant));
  return parts;
}

}}}  // namespace ttune::v0::codegen
