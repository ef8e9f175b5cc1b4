// SPDX-License-Identifier: Apache-2.0
// Conversions of the two 16-bit storage floats. Conversions to them round to nearest, ties to even; values beyond the
// largest become infinity, subnormals are kept, NaN stays NaN.
#pragma once

#include <bit>
#include <cstdint>

#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the bits of a double as a float with a sign bit, `exponent_bits` and `fraction_bits`, rounded once.
[[nodiscard]] constexpr std::uint16_t narrowed(double value, int exponent_bits, int fraction_bits) noexcept {
  auto const bits = std::bit_cast<std::uint64_t>(value);
  auto const sign = static_cast<std::uint64_t>(bits >> 63) << (exponent_bits + fraction_bits);
  auto const fraction = bits & ((std::uint64_t{1} << 52) - 1);
  auto const biased = static_cast<int>(bits >> 52 & 0x7ff);
  auto const infinity = ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  if (biased == 0x7ff)
    return static_cast<std::uint16_t>(sign | infinity | (fraction != 0 ? std::uint64_t{1} << (fraction_bits - 1) : 0));
  int const exponent = biased - 1023 + (1 << (exponent_bits - 1)) - 1;  // with the bias of the result
  int const shift = 52 - fraction_bits + (exponent < 1 ? 1 - exponent : 0);
  if (biased == 0 || shift > 54) return static_cast<std::uint16_t>(sign);
  if (exponent >= (1 << exponent_bits) - 1) return static_cast<std::uint16_t>(sign | infinity);
  auto const significand = fraction | std::uint64_t{1} << 52;
  auto rounded = significand >> shift;
  auto const rest = significand & ((std::uint64_t{1} << shift) - 1);
  auto const half = std::uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
  // A carry out of the fraction correctly increments the exponent. So does the implicit leading one, hence exponent -
  // 1.
  auto const above = exponent < 1 ? 0 : static_cast<std::uint64_t>(exponent - 1) << fraction_bits;
  return static_cast<std::uint16_t>(sign | (above + rounded));
}

}  // namespace detail

[[nodiscard]] constexpr f16 to_f16(double value) noexcept { return {detail::narrowed(value, 5, 10)}; }
[[nodiscard]] constexpr bf16 to_bf16(double value) noexcept { return {detail::narrowed(value, 8, 7)}; }

[[nodiscard]] constexpr float to_float(bf16 value) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}
[[nodiscard]] constexpr float to_float(f16 value) noexcept {
  auto const sign = static_cast<std::uint32_t>(value.bits & 0x8000) << 16;
  auto const exponent = static_cast<std::uint32_t>(value.bits >> 10 & 0x1f);
  auto const fraction = static_cast<std::uint32_t>(value.bits & 0x3ff);
  if (exponent == 0) {
    auto const magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  auto const widened = exponent == 31 ? 0xffU : exponent + 112;
  return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

}}  // namespace ttune::v0
