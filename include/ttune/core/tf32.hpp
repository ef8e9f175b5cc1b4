// SPDX-License-Identifier: Apache-2.0
// TF32, the format in which tensor cores multiply f32 operands: the exponent of f32 and 10 bits of its fraction.
#pragma once

#include <bit>
#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Rounds to nearest, ties away from zero; values beyond the largest become infinity, subnormals are kept, NaN stays
/// NaN. Equals PTX's `cvt.rna.tf32.f32`. A carry out of the fraction correctly increments the exponent.
[[nodiscard]] constexpr float rounded_to_tf32(float x) noexcept {
  if (x != x) return x;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000U) & 0xffffe000U);
}

}}  // namespace ttune::v0
