// SPDX-License-Identifier: Apache-2.0
// sin and cos of all lanes at once: r = x - n pi with pi in several parts (Cody and Waite, "Software Manual for the
// Elementary Functions", 1980, ch. 8), then one polynomial on [-pi/2, pi/2]. n is integral for sines, and an integer
// plus a half for cosines.
#pragma once

#include <cstdint>
#include <numbers>
#include <vector>

#include "ttune/codegen/llvm/functions/polynomial.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

enum class angle_function : std::uint8_t { sine, cosine };

/// Parts of pi, and the largest angle for which they suffice: products of the first parts with n are exact or, with a
/// fused multiply-add, the differences are. All parts are positive, so that -0 stays -0.
struct pi_parts {
  double largest_angle;
  std::vector<double> parts;
};

[[nodiscard]] inline pi_parts parts_of_pi(bool wide, bool has_fma) {
  if (wide && has_fma) return {0x1p22, {0x1.921fb54442d18p+1, 0x1.1a62633145c06p-53, 0x1.c1cd129024e09p-106}};
  if (wide)  // parts of 33 bits
    return {0x1p20, {0x1.921fb544p+1, 0x1.0b4611a6p-33, 0x1.3198a2ep-68, 0x1.b839a252049c1p-103}};
  if (has_fma) return {0x1p17, {0x1.921fb4p+1, 0x1.4442dp-23, 0x1.846988p-47}};
  return {0x1p13, {0x1.92p+1, 0x1.fb4p-11, 0x1.444p-23, 0x1.68c234p-38}};  // parts of 12 bits
}

[[nodiscard]] inline double largest_angle(lane_value const& x) {
  return parts_of_pi(x.wide(), x.sink->has_fma()).largest_angle;
}

/// Coefficients of (sin(r) - r) / r^3 in r^2 for |r| <= pi/2. Minimax fits of the relative error of sin: 2^-27.2 with
/// coefficients that are floats, and 2^-61.6.
[[nodiscard]] inline std::vector<double> sine_coefficients(bool wide) {
  if (!wide) return {-0.16666659712791443, 0.008333069272339344, -0.00019809768127743155, 2.6060538402816746e-06};
  return {-0.16666666666666666,    0.008333333333333194, -0.00019841269841209207, 2.755731921113533e-06,
          -2.5052106872615747e-08, 1.60589396961574e-10, -7.642991227605045e-13,  2.7211721296507527e-15};
}

/// Returns sin or cos for |x| <= largest_angle(x), and for NaN; the result for other x has no meaning.
[[nodiscard]] inline lane_value sine_or_cosine(lane_value const& x, angle_function which) {
  bool const wide = x.wide();
  bool const cosine = which == angle_function::cosine;
  auto const pusher = x.number(wide ? 0x1.8p52 : 0x1.8p23);  // shifts the fraction out
  auto const inverse = x.number(std::numbers::inv_pi);
  auto const pushed = cosine ? fused(x, inverse, x.number(0.5)) + pusher : fused(x, inverse, pusher);
  auto const n = cosine ? (pushed - pusher) - x.number(0.5) : pushed - pusher;
  auto r = x;
  for (double const part : parts_of_pi(wide, x.sink->has_fma()).parts) r = fused(-n, x.number(part), r);
  r = (r.as_bits() ^ pushed.as_bits().shifted_left(wide ? 63 : 31)).as_real();  // odd n changes the sign
  auto const square = r * r;
  auto const made = fused(r * square, horner(square, sine_coefficients(wide)), r);  // one chain, so that cos(0) is 1
  return cosine ? made : (made.as_bits() | sign_bit(r.as_bits())).as_real();        // -0 stays -0
}

}}}  // namespace ttune::v0::codegen
