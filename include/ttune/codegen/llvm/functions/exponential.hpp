// SPDX-License-Identifier: Apache-2.0
// exp and tanh of all lanes at once: x = n ln 2 + r, exp(x) = 2^n (1 + tail(r)) (Cody and Waite, "Software Manual for
// the Elementary Functions", 1980, ch. 6; J.-M. Muller, "Elementary Functions", 3rd ed., ch. 11).
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "ttune/codegen/llvm/functions/polynomial.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Coefficients of (exp(r) - 1 - r) / r^2 for |r| <= ln 2 / 2. Minimax fits of the relative error of exp: 4e-9 for
/// floats, with coefficients that are floats; 2^-57.9 for doubles.
[[nodiscard]] inline std::vector<double> exponential_coefficients(bool wide) {
  if (!wide)
    return {0.4999999343211974, 0.16666520399053053, 0.04166839078556532, 0.008368745107929607, 0.001381454007465751};
  return {0.5000000000000011,     0.16666666666666413,   0.041666666666530267,   0.008333333333494357,
          0.0013888888943598032,  0.0001984126950673654, 2.4801493135861795e-05, 2.7557586296742277e-06,
          2.7630234039273585e-07, 2.500006500170369e-08};
}

/// exp(2^doublings x) = 2^n exp(2^doublings r). `pushed` has n + bias in its low bits: it is x / ln 2 plus a number so
/// large that the fraction is shifted out.
struct split_exponential {
  lane_value n;
  lane_value pushed;
  lane_value r;
  int doublings = 0;

  /// Returns 2^n, if `bias` is the bias of the float type.
  [[nodiscard]] lane_value scale() const { return pushed.as_bits().shifted_left(pushed.wide() ? 52 : 23).as_real(); }
  /// Returns (exp(s) - 1 - s) / s^2 for s = 2^doublings r, times 4^doublings.
  [[nodiscard]] lane_value curvature() const {
    auto c = exponential_coefficients(r.wide());
    for (std::size_t k = 0; k < c.size(); ++k) c[k] = std::ldexp(c[k], doublings * (static_cast<int>(k) + 2));
    return polynomial(r, c);
  }
};

/// Returns the bias of stored exponents.
[[nodiscard]] inline int exponent_bias(lane_value const& x) { return x.wide() ? 1023 : 127; }

/// Splits an exponential. `bias` must be even where ties matter: then it does not change how n is rounded.
[[nodiscard]] inline split_exponential split_exp(lane_value const& x, int bias, int doublings = 0) {
  bool const wide = x.wide();
  auto const ln2 = parts_of_constant(std::ldexp(std::numbers::ln2_v<long double>, -doublings), {wide ? 40 : 15});
  auto const pusher = x.number((wide ? 0x1.8p52 : 0x1.8p23) + bias);
  auto const pushed = fused(x, x.number(std::ldexp(1 / std::numbers::ln2, doublings)), pusher);
  auto const n = pushed - pusher;
  auto const r = fused(-n, x.number(ln2[1]), fused(-n, x.number(ln2[0]), x));
  return {n, pushed, r, doublings};
}

/// Returns x 2^n, where `pushed` has n plus twice the bias. 2^n itself may not be normal, so there are two steps, of
/// which the first is exact.
[[nodiscard]] inline lane_value scaled_in_two_steps(lane_value const& x, lane_value const& pushed) {
  bool const wide = x.wide();
  int const fraction = wide ? 52 : 23;
  auto const bits = pushed.as_bits();
  auto const exponent_only = bits.bits(wide ? ~((std::uint64_t{1} << 52) - 1) : std::uint64_t{0xff800000});
  auto const half = bits.shifted_left(fraction - 1) & exponent_only;
  auto const rest = bits.shifted_left(fraction) - half;
  return (x * half.as_real()) * rest.as_real();
}

/// Returns exp(x + small), where `small` is null or the difference of x from a more precise argument.
[[nodiscard]] inline lane_value exponential(lane_value const& x, lane_value const* small = nullptr) {
  bool const wide = x.wide();
  auto parts = split_exp(at_most(at_least(x, wide ? -746 : -104), wide ? 710 : 89), 2 * exponent_bias(x));
  if (small) parts.r = parts.r + *small;
  auto const one = x.number(1);
  auto const fraction = fused(parts.r, fused(parts.r, parts.curvature(), one), one);
  return can_scale(x) ? scaled(fraction, parts.n) : scaled_in_two_steps(fraction, parts.pushed);
}

/// Returns e / (e + 2) with e = exp(2 |x|) - 1.
[[nodiscard]] inline lane_value hyperbolic_tangent(lane_value const& x) {
  auto const size = at_most(magnitude(x), x.wide() ? 20 : 10);  // the result is 1 from here on
  auto const parts = split_exp(size, exponent_bias(x), 1);
  auto const tail = fused(parts.r * parts.r, parts.curvature(), parts.r + parts.r);
  auto const scale = parts.scale();
  auto const e = fused(scale, tail, scale - x.number(1));
  return with_sign(e / (e + x.number(2)), x);
}

}}}  // namespace ttune::v0::codegen
