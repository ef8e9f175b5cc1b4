// SPDX-License-Identifier: Apache-2.0
// log of all lanes at once: x = 2^n (1 + f) with 0.75 <= 1 + f < 1.5, log(x) = n ln 2 + log(1 + f). The latter is one
// polynomial: no division, no table (J.-M. Muller, "Elementary Functions", 3rd ed., ch. 11).
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "ttune/codegen/llvm/functions/polynomial.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// |x| = 2^n m with 0.75 <= m < 1.5, both floats. n is -infinity for 0 and infinity for infinity; NaN has n or m NaN.
struct split_number {
  lane_value n;
  lane_value m;
};

/// Returns bits / 2^fraction, rounded down, as a float. AVX2 has no conversion from 64-bit integers, so for doubles the
/// integer becomes the last bits of 2^52.
[[nodiscard]] inline lane_value exponent_as_real(lane_value const& bits) {
  if (bits.scalar == "i32") return bits.shifted_right_signed(23).cast("sitofp", "float");
  auto const positive = (bits + bits.bits(std::uint64_t{1} << 63)).shifted_right(52);  // 2048 is added
  auto const real = (positive | bits.bits(std::bit_cast<std::uint64_t>(0x1p52))).as_real();
  return real - real.number(0x1p52 + 2048);
}

/// Returns the bits of 2^n without the bits of 1, from those of the number minus those of 0.75.
[[nodiscard]] inline lane_value exponent_bits(lane_value const& above) {
  int const fraction = above.scalar == "i64" ? 52 : 23;
  return above & above.bits(~((std::uint64_t{1} << fraction) - 1));
}

/// Splits a positive normal number; split_bits and split have the same result.
[[nodiscard]] inline split_number split_normal(lane_value const& x) {
  auto const bits = x.as_bits();
  auto const above = bits - x.number(0.75).as_bits();
  auto const whole = exponent_bits(above);
  return {exponent_as_real(above), (bits - whole).as_real()};
}

/// Returns the condition that a number is negative, zero, subnormal, infinite or no number. Numbers are moved so that
/// the smallest normal one has the smallest integer: processors without AVX-512 only compare signed integers.
[[nodiscard]] inline lane_value is_not_positive_normal(lane_value const& x) {
  auto const bits = x.as_bits();
  if (x.wide()) {
    auto const moved = bits - bits.bits(std::bit_cast<std::uint64_t>(-DBL_MIN));
    return moved.compared("sgt", bits.bits(0x7fdfffffffffffff ^ (std::uint64_t{1} << 63)));
  }
  auto const literal = [](std::uint32_t v) { return static_cast<std::uint64_t>(static_cast<std::int32_t>(v)); };
  auto const moved = bits - bits.bits(literal(std::bit_cast<std::uint32_t>(-FLT_MIN)));
  return moved.compared("sgt", bits.bits(literal(0x7effffffU ^ 0x80000000U)));
}

/// Returns the bits of v where a condition holds, else 0.
[[nodiscard]] inline lane_value bits_where(lane_value const& condition, lane_value const& v) {
  return condition.choose(v, v.bits(0));
}

/// Splits by arithmetic on bits. Subnormals are first multiplied by 2^shift. The shift is a power of two, so its bits
/// are a subset of infinity's; infinity is subtracted where x is 0. No blend: it takes three steps on some processors.
[[nodiscard]] inline split_number split_bits(lane_value const& x) {
  bool const wide = x.wide();
  int const shift = wide ? 64 : 32;
  auto const small = x.compared("olt", x.number(wide ? 0x1p-1022 : 0x1p-126));
  auto const zero = x.number(0);
  auto const bits = fused(x, small.choose(x.number(std::ldexp(1.0, shift)), zero), small.choose(zero, x)).as_bits();
  auto const above = bits - x.number(0.75).as_bits();
  auto const m = (bits - exponent_bits(above)).as_real();
  auto const is_zero = x.compared("oeq", x.number(0));
  auto const too_much =
      bits_where(small, x.number(shift).as_bits()) | bits_where(is_zero, x.number(HUGE_VAL).as_bits());
  auto const n = exponent_as_real(above);
  auto const beyond = x - x.number(wide ? DBL_MAX : FLT_MAX);  // at most 0, except for infinity and NaN
  return {n.compared("ogt", beyond).choose(n, beyond) - too_much.as_real(), m};
}

/// Splits by two instructions of AVX-512 if possible, with the same result.
[[nodiscard]] inline split_number split(lane_value const& x) {
  if (!can_scale(x)) return split_bits(x);
  auto const m = fraction_of(x);
  return {exponent_of(x) - exponent_of(m), m};
}

/// Coefficients of (log(1 + f) - f) / f^2 for -0.25 <= f < 0.5. Minimax fits of the relative error of log: 2^-26.9 with
/// coefficients that are floats, and 2^-56.7.
[[nodiscard]] inline std::vector<double> logarithm_coefficients(bool wide) {
  if (!wide)
    return {-0.5,
            0.3333345353603363,
            -0.250000536441803,
            0.19990606606006622,
            -0.16647768020629883,
            0.1448206603527069,
            -0.1316223293542862,
            0.10448312014341354,
            -0.04490938410162926};
  return {-0.4999999999999997,  0.3333333333333395,   -0.2500000000001958,  0.19999999999815957,  -0.16666666662759896,
          0.14285714301415733,  -0.12500000349355192, 0.11111110794773457,  -0.09999983773467912, 0.09090889782505404,
          -0.08333731881840242, 0.07693478012379842,  -0.07138420228160099, 0.0664230241003601,   -0.062491936637672954,
          0.060872387288125024, -0.05977222804139054, 0.05074320386852074,  -0.02935297422097126, 0.008056352621944944};
}

/// Returns log(2^n m).
[[nodiscard]] inline lane_value logarithm_of(split_number const& parts) {
  bool const wide = parts.m.wide();
  auto const x = parts.m;
  auto const f = parts.m - x.number(1);
  auto of_fraction = fused(f * f, polynomial(f, logarithm_coefficients(wide)), f);
  if (wide) of_fraction = fused(parts.n, x.number(0x1.abc9e3b39803fp-56), of_fraction);  // the low bits of ln 2
  return fused(parts.n, x.number(std::numbers::ln2), of_fraction);
}

/// Returns log of all numbers.
[[nodiscard]] inline lane_value logarithm(lane_value const& x) {
  bool const wide = x.wide();
  auto const made = logarithm_of(split(x));
  // A NaN with all bits set would look like memory that was never written.
  auto const nan = x.as_bits().bits(wide ? 0x7ff8000000000000 : 0x7fc00000).as_real();
  return x.compared("olt", x.number(0)).choose(nan, made);
}

}}}  // namespace ttune::v0::codegen
