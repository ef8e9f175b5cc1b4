// SPDX-License-Identifier: Apache-2.0
// Rounding, TF32 and 16-bit floats by integer arithmetic, for machines without such instructions. LLVM would call
// external functions there, which an image does not have.
#pragma once

#include "ttune/codegen/llvm/lane_code.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Rounds half to even. Adding 2^p shifts the fraction out; numbers from 2^p on have none.
[[nodiscard]] inline lane_value rounded_to_even(lane_value const& x) {
  auto const size = magnitude(x);
  auto const limit = x.number(x.wide() ? 0x1p52 : 0x1p23);
  auto const rounded = with_sign((size + limit) - limit, x);
  return size.compared("olt", limit).choose(rounded, x);
}
[[nodiscard]] inline lane_value rounded_down(lane_value const& x) {
  auto const near = rounded_to_even(x);
  auto const lower = near - near.compared("ogt", x).choose(x.number(1), x.number(0));
  return with_sign(lower, x);
}
[[nodiscard]] inline lane_value rounded_up(lane_value const& x) {
  auto const near = rounded_to_even(x);
  auto const upper = near + near.compared("olt", x).choose(x.number(1), x.number(0));
  return with_sign(upper, x);
}

/// Rounds floats to TF32 (core/tf32.hpp).
[[nodiscard]] inline lane_value to_tf32(lane_value const& x) {
  auto const bits = x.as_bits();
  auto const mask = bits.bits(~std::uint64_t{0x1fff});
  return x.compared("uno", x).choose(x, ((bits + bits.bits(0x1000)) & mask).as_real());
}

/// Converts double to float, inexact results to the neighbour with an odd last bit. A second rounding to fewer bits
/// then gives the result of a single one (Boldo and Melquiond, "When double rounding is odd", 2005).
[[nodiscard]] inline lane_value rounded_to_odd(lane_value const& x) {
  auto const near = x.cast("fptrunc", "float");
  auto const back = near.cast("fpext", "double");
  auto const bits = near.as_bits();
  auto const too_large = magnitude(back).compared("ogt", magnitude(x)).cast("zext", "i32");
  auto const inexact = back.compared("one", x).cast("zext", "i32");
  return ((bits - too_large) | inexact).as_real();
}

/// Converts a 64-bit integer to one that fits a double; an odd last bit stands for bits that do not fit.
[[nodiscard]] inline lane_value fit_for_double(lane_value const& x, bool is_unsigned) {
  auto const kept = x & x.bits(~std::uint64_t{0x7ff});
  auto const lost = (x & x.bits(0x7ff)).compared("ne", x.bits(0)).cast("zext", "i64").shifted_left(11);
  auto const limit = std::uint64_t{1} << 53;
  auto const shifted = is_unsigned ? x : x + x.bits(limit);
  return shifted.compared("ult", x.bits(is_unsigned ? limit : 2 * limit)).choose(x, kept | lost);
}

/// Converts to 8 or 16 bits towards zero, saturating, NaN to 0. The value is first limited to the type's range, so that
/// one conversion to 32 bits serves all lanes (saturating conversions to narrow types would be made one by one).
[[nodiscard]] inline lane_value to_narrow_integer(lane_value const& x, dtype type) {
  auto const bits = 8 * static_cast<int>(size_in_bytes(type));
  bool const no_sign = is_unsigned(type);
  double const high = static_cast<double>((1 << (no_sign ? bits : bits - 1)) - 1);
  auto const zero = x.number(0);
  auto const number = no_sign ? x.compared("ogt", zero).choose(x, zero) : x.compared("ord", x).choose(x, zero);
  auto const inside = at_most(no_sign ? number : at_least(number, -high - 1), high);
  return inside.cast("fptosi", "i32").cast("trunc", "i" + std::to_string(bits));
}

/// Converts to 32 bits towards zero, saturating, NaN to 0. LLVM makes its saturating conversion of vectors lane by
/// lane. The largest f32 below the limit is less than the largest integer, which numbers from the limit on get.
[[nodiscard]] inline lane_value to_word(lane_value const& x, dtype type) {
  bool const no_sign = is_unsigned(type);
  double const limit = no_sign ? 0x1p32 : 0x1p31;
  double const largest = x.wide() ? limit - 1 : limit - (no_sign ? 256 : 128);
  auto const zero = x.number(0);
  auto const number =
      no_sign ? x.compared("ogt", zero).choose(x, zero) : at_least(x.compared("ord", x).choose(x, zero), -limit);
  auto const inside = at_most(number, largest).cast(no_sign ? "fptoui" : "fptosi", "i32");
  if (x.wide()) return inside;
  return x.compared("oge", x.number(limit)).choose(inside.bits(no_sign ? 0xffffffff : 0x7fffffff), inside);
}

/// Converts the i16 bits of a half to float. The exponent's bias differs by 112; a product makes subnormals normal.
[[nodiscard]] inline lane_value half_to_float(lane_value const& half) {
  auto const bits = half.cast("zext", "i32");
  auto const size = bits & bits.bits(0x7fff);
  auto const shifted = size.shifted_left(13).as_real();
  auto const scaled = (shifted * shifted.number(0x1p112)).as_bits();
  auto const special = size.compared("uge", size.bits(0x7c00)).choose(size.bits(0x7f800000), size.bits(0));
  auto const sign = (bits & bits.bits(0x8000)).shifted_left(16);
  return (scaled | special | sign).as_real();
}

/// Converts a float to the i16 bits of a half, to nearest even.
[[nodiscard]] inline lane_value float_to_half(lane_value const& x) {
  auto const bits = x.as_bits();
  auto const size = magnitude_bits(bits);
  auto const odd = size.shifted_right(13) & size.bits(1);
  auto const normal =
      (size + odd + size.bits((std::uint64_t{0} - (std::uint64_t{112} << 23)) + 0xfff)).shifted_right(13);
  auto const half = x.number(0.5);  // its last bit has the weight of the last bit of a subnormal half
  auto const subnormal = (size.as_real() + half).as_bits() - half.as_bits();
  auto const infinite = size.compared("ugt", size.bits(0x7f800000)).choose(size.bits(0x7e00), size.bits(0x7c00));
  auto const finite = size.compared("ult", size.bits(0x38800000)).choose(subnormal, normal);
  auto const made = size.compared("uge", size.bits(0x47800000)).choose(infinite, finite);
  return (made | (bits.shifted_right(16) & bits.bits(0x8000))).cast("trunc", "i16");
}

[[nodiscard]] inline lane_value bfloat_to_float(lane_value const& bfloat) {
  return bfloat.cast("zext", "i32").shifted_left(16).as_real();
}

/// Converts a float to the i16 bits of a bfloat, to nearest even; NaN stays NaN.
[[nodiscard]] inline lane_value float_to_bfloat(lane_value const& x) {
  auto const bits = x.as_bits();
  auto const odd = bits.shifted_right(16) & bits.bits(1);
  auto const rounded = (bits + odd + bits.bits(0x7fff)).shifted_right(16);
  return x.compared("uno", x).choose(bits.bits(0x7fc0), rounded).cast("trunc", "i16");
}

}}}  // namespace ttune::v0::codegen
