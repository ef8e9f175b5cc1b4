// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 to float and back, rounded to nearest even; what kernels do, done on the host.
#pragma once

#include <bit>
#include <cstdint>

#include "ttune/core/dtype.hpp"

namespace ttune::inline v0 {

[[nodiscard]] constexpr float to_float(bf16 v) noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(v.bits) << 16); }

[[nodiscard]] constexpr bf16 to_bf16(float v) noexcept {
  auto const bits = std::bit_cast<std::uint32_t>(v);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {0x7fc0};  // NaN
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

[[nodiscard]] constexpr float to_float(f16 v) noexcept {
  auto const sign = static_cast<std::uint32_t>(v.bits & 0x8000U) << 16;
  auto const exponent = static_cast<std::uint32_t>(v.bits >> 10) & 0x1fU;
  auto const fraction = static_cast<std::uint32_t>(v.bits) & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  auto const magnitude = static_cast<float>(fraction) * 0x1p-24F;  // subnormal: exact in float
  return sign != 0 ? -magnitude : magnitude;
}

[[nodiscard]] constexpr f16 to_f16(float v) noexcept {
  auto const bits = std::bit_cast<std::uint32_t>(v);
  auto const sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  auto const magnitude = bits & 0x7fffffffU;
  auto const with_sign = [sign](std::uint32_t m) { return f16{static_cast<std::uint16_t>(sign | m)}; };
  if (magnitude > 0x7f800000U) return with_sign(0x7e00);  // NaN
  if (magnitude >= 0x477ff000U) return with_sign(0x7c00);  // 65520 and above round to infinity
  if (magnitude < 0x38800000U) {  // below 2^-14: a multiple of 2^-24, rounded by adding a number whose ulp that is
    auto const shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return with_sign(std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U);
  }
  auto const rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
  return with_sign((rounded - 0x38000000U) >> 13);
}

}  // namespace ttune::inline v0
