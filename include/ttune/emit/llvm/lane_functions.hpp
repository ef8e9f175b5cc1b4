// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh and erf of all lanes at once; sin, cos and pow of f32, by way of f64. Range reductions and sums as in
// W. J. Cody, W. Waite, "Software Manual for the Elementary Functions" (1980), the logarithm's as in P. T. P. Tang,
// "Table-driven implementation of the logarithm function" (1990) without its table. Coefficients are those of the power
// series, cut where the rest is below a tenth of the last place, Chebyshev coefficients computed here, or a fit.
// Errors: see tests/unit/orc/functions.cpp.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "ttune/emit/llvm/lane_code.hpp"

namespace ttune::inline v0::emit {

/// c[0] + c[1] x + …
[[nodiscard]] inline lane_value polynomial(lane_value const& x, std::vector<double> const& c) {
  auto sum = x.number(c.back());
  for (std::size_t i = c.size() - 1; i-- > 0;) sum = fused(sum, x, x.number(c[i]));
  return sum;
}

/// ln 2 in two parts: the first has so few bits that products with exponents are exact.
struct ln2_parts {
  double high;
  double low;
  explicit ln2_parts(bool wide)
      : high(std::ldexp(std::floor(std::ldexp(std::numbers::ln2, wide ? 40 : 15)), wide ? -40 : -15)),
        low(static_cast<double>(std::numbers::ln2_v<long double> - static_cast<long double>(high))) {}
};

/// exp(x) = 2^power (1 + tail), |tail| < 0.42
struct split_exponential {
  lane_value power;   ///< whole
  lane_value pushed;  ///< what its low bits hold, too, over those of `pusher`
  lane_value pusher;
  lane_value tail;

  [[nodiscard]] lane_value integer() const { return pushed.as_bits() - pusher.as_bits(); }
};

/// Coefficients of (exp(r) - 1 - r) / r^2 for |r| <= ln 2 / 2. Of floats a weighted minimax fit (Lawson's iteration), a
/// relative error of exp of 4e-9 with coefficients that are floats; of doubles 1/2!, 1/3!, …
[[nodiscard]] inline std::vector<double> exponential_coefficients(bool wide) {
  if (!wide)
    return {0.4999999343211974, 0.16666520399053053, 0.04166839078556532, 0.008368745107929607, 0.001381454007465751};
  std::vector<double> c;
  double factorial = 1;
  for (int k = 2; k <= 13; ++k) c.push_back(1 / (factorial *= k));
  return c;
}

[[nodiscard]] inline split_exponential split_exp(lane_value const& x) {
  bool const wide = x.wide();
  ln2_parts const ln2(wide);
  auto const pusher = x.number(wide ? 0x1.8p52 : 0x1.8p23);  // pushes the fraction out; its low bits are the integer
  auto const pushed = fused(x, x.number(1 / std::numbers::ln2), pusher);
  auto const n = pushed - pusher;
  auto const r = fused(-n, x.number(ln2.low), fused(-n, x.number(ln2.high), x));
  return {n, pushed, pusher, fused(r * r, polynomial(r, exponential_coefficients(wide)), r)};
}

/// 2^n for n in the range of normal numbers
[[nodiscard]] inline lane_value power_of_two(lane_value const& n) {
  bool const wide = n.scalar == "i64";
  return (n + n.bits(wide ? 1023 : 127)).shifted_left(wide ? 52 : 23).as_real();
}

[[nodiscard]] inline lane_value exponential(lane_value const& x) {
  bool const wide = x.wide();
  auto const parts = split_exp(at_most(at_least(x, wide ? -746 : -104), wide ? 710 : 89));
  auto const fraction = x.number(1) + parts.tail;
  if (can_scale(x)) return scaled(fraction, parts.power);
  auto const n = parts.integer();
  auto const half = n.shifted_right_signed(1);  // in two steps, as 2^n itself may not be normal
  return (fraction * power_of_two(half)) * power_of_two(n - half);
}

/// log(x) = n ln 2 + log(1 + f), with s = f / (2 + f): log(1 + f) = 2 s + 2/3 s^3 + …
[[nodiscard]] inline lane_value logarithm(lane_value const& x) {
  bool const wide = x.wide();
  int const fraction = wide ? 52 : 23;
  auto const small = x.compared("olt", x.number(wide ? 0x1p-1022 : 0x1p-126));
  auto const scaled = small.choose(x * x.number(std::ldexp(1.0, fraction)), x);
  auto const bits = scaled.as_bits();
  auto const lowest = x.number(std::numbers::sqrt2 / 2).as_bits();
  auto const n = (bits - lowest).shifted_right_signed(fraction);
  auto const f = (bits - n.shifted_left(fraction)).as_real() - x.number(1);
  auto const k = n.cast("sitofp", x.scalar) - small.choose(x.number(fraction), x.number(0));
  auto const s = f / (f + x.number(2));
  auto const square = s * s;
  std::vector<double> c;  // 2/3, 2/5, …
  for (int i = 3; i <= (wide ? 21 : 9); i += 2) c.push_back(2.0 / i);
  auto const half_square = x.number(0.5) * f * f;
  ln2_parts const ln2(wide);
  auto const correction = fused(s, half_square + square * polynomial(square, c), k * x.number(ln2.low));
  auto const finite = fused(k, x.number(ln2.high), f - (half_square - correction));
  auto const infinity = x.number(HUGE_VAL);
  auto const below = x.compared("oeq", x.number(0)).choose(-infinity, x.number(std::nan("")));
  auto const special = x.compared("ogt", x.number(0)).choose(x, x.compared("uno", x).choose(x, below));
  auto const ordinary = x.compared("ogt", x.number(0)) & x.compared("olt", infinity);
  return ordinary.choose(finite, special);
}

/// e / (e + 2) with e = exp(2 |x|) - 1
[[nodiscard]] inline lane_value hyperbolic_tangent(lane_value const& x) {
  auto const size = at_most(magnitude(x), x.wide() ? 20 : 10);
  auto const parts = split_exp(size + size);
  auto const scale = power_of_two(parts.integer());
  auto const e = fused(scale, parts.tail, scale - x.number(1));
  return with_sign(e / (e + x.number(2)), x);
}

/// Coefficients of the Chebyshev interpolation of a function on [-1, 1].
template <class Function>
[[nodiscard]] std::vector<double> chebyshev(Function const& f, int count) {
  std::vector<long double> values;
  for (int j = 0; j < count; ++j) values.push_back(f(std::cos(std::numbers::pi_v<long double> * (j + 0.5L) / count)));
  std::vector<double> made;
  for (int k = 0; k < count; ++k) {
    long double sum = 0;
    for (int j = 0; j < count; ++j)
      sum += values[static_cast<std::size_t>(j)] * std::cos(std::numbers::pi_v<long double> * k * (j + 0.5L) / count);
    made.push_back(static_cast<double>((k == 0 ? 1 : 2) * sum / count));
  }
  return made;
}

/// Clenshaw's recurrence.
[[nodiscard]] inline lane_value chebyshev_sum(lane_value const& x, std::vector<double> const& c) {
  auto const twice = x + x;
  auto last = x.number(c.back());
  auto before = x.number(0);
  for (std::size_t k = c.size() - 1; k-- > 1;) {
    auto const next = fused(twice, last, x.number(c[k]) - before);
    before = last;
    last = next;
  }
  return fused(x, last, x.number(c[0]) - before);
}

/// Of floats: erf(x) = 1 - 2^(-x p(x)), where p(x) = -log2(erfc(x)) / x is smooth, so that one polynomial serves all of
/// [0, 4]; 1 - 2^n (1 + tail) keeps the relative precision of small results. Both polynomials are weighted minimax fits
/// (Lawson's iteration; of p with the weight x erfc(x) / erf(x)): relative errors of erf of 4e-9 and 2e-9.
[[nodiscard]] inline lane_value error_function_f32(lane_value const& x) {
  auto const size = at_most(magnitude(x), 4);  // from here on it is 1
  auto const p = polynomial(
      size, {1.6279070351289548, 0.9184476251474967, 0.14827706728606294, -0.027632032387616575, -0.0002314007417880225,
             0.0024050118502025658, -0.0009129908229077802, 0.00016972057568914462, -1.3353973893009395e-05});
  auto const pusher =
      x.number(0x1.8p23 + 127);  // pushes the fraction out; low bits: the exponent of 2^n as it is stored
  auto const pushed = fused(-size, p, pusher);
  auto const scale = pushed.as_bits().shifted_left(23).as_real();
  auto const r = fused(-size, p, pusher - pushed);
  auto const tail = r * polynomial(r, {0.6931472062482427, 0.24022651345911825, 0.05550327791200146,
                                       0.009618003890309907, 0.0013400269654493396, 0.00015476300138856202});
  return with_sign(fused(-scale, tail, x.number(1) - scale), x);
}

/// Of doubles: up to 1 by the power series; beyond it 1 - exp(-x^2) g(x), where g is smooth in 1 / (x + 2).
[[nodiscard]] inline lane_value error_function_f64(lane_value const& x) {
  double const last = 6;  // from here on it is 1
  auto const size = at_most(magnitude(x), last);
  auto const square = size * size;
  std::vector<double> c;  // 2/sqrt(pi) (-1)^k / (k! (2k + 1))
  double factorial = 1;
  for (int k = 0; k <= 18; ++k) {
    if (k > 0) factorial *= -k;
    c.push_back(2 * std::numbers::inv_sqrtpi / (factorial * (2 * k + 1)));
  }
  auto const near = x * polynomial(square, c);

  double const from = 1 / (last + 2);  // 1 / (x + 2) runs over [from, to], mapped to [-1, 1]
  double const to = 1.0 / 3;
  auto const g = [&](long double t) {
    auto const at = 1 / (from + (to - from) * (t + 1) / 2) - 2;
    return std::erfc(at) * std::exp(at * at);
  };
  auto const t =
      fused(x.number(1) / (size + x.number(2)), x.number(2 / (to - from)), x.number(-2 * from / (to - from) - 1));
  auto const far = x.number(1) - exponential(-square) * chebyshev_sum(t, chebyshev(g, 22));
  return size.compared("ogt", x.number(1)).choose(with_sign(far, x), near);
}

[[nodiscard]] inline lane_value error_function(lane_value const& x) {
  return x.wide() ? error_function_f64(x) : error_function_f32(x);
}

/// Beyond it the reduction of sines loses its bits.
inline constexpr double largest_angle = 0x1p24;

/// Sine of a float (turns = 0) or cosine (turns = 1): of r = x - n pi/2, chosen by n + turns.
[[nodiscard]] inline lane_value sine(lane_value const& angle, std::uint64_t turns) {
  auto const x = angle.cast("fpext", "double");
  auto const pusher = x.number(0x1.8p52);
  auto const pushed = fused(x, x.number(2 / std::numbers::pi), pusher);
  auto const n = pushed - pusher;
  double const high = std::ldexp(std::floor(std::ldexp(std::numbers::pi / 2, 27)), -27);  // products with n are exact
  auto const low = static_cast<double>(std::numbers::pi_v<long double> / 2 - static_cast<long double>(high));
  auto const r = fused(-n, x.number(low), fused(-n, x.number(high), x));
  auto const square = r * r;
  std::vector<double> odd;   // 1, -1/3!, 1/5!, …
  std::vector<double> even;  // 1, -1/2!, 1/4!, …
  double factorial = 1;
  for (int k = 0; k <= 12; ++k) {
    if (k > 0) factorial *= k;
    (k % 2 == 0 ? even : odd).push_back((k % 4 < 2 ? 1 : -1) / factorial);
  }
  auto const quarter = pushed.as_bits() + pushed.as_bits().bits(turns);
  auto const zero = quarter.bits(0);
  auto const made =
      (quarter & quarter.bits(1)).compared("eq", zero).choose(r * polynomial(square, odd), polynomial(square, even));
  return (quarter & quarter.bits(2)).compared("eq", zero).choose(made, -made).cast("fptrunc", "float");
}

/// exp(y log |x|) and the cases of IEEE 754's pow
[[nodiscard]] inline lane_value power(lane_value const& base, lane_value const& exponent) {
  auto const x = base.cast("fpext", "double");
  auto const y = exponent.cast("fpext", "double");
  auto const one = x.number(1);
  auto const zero = x.number(0);
  auto const size = magnitude(x);
  auto const infinity = x.number(HUGE_VAL);
  auto const raised = exponential(y * logarithm(size));

  auto const times = magnitude(y);  // integral if 2^52 pushes nothing out; even from 2^52 on
  auto const limit = x.number(0x1p52);
  auto const large = times.compared("oge", limit);
  auto const pushed = times + limit;
  auto const integral = (pushed - limit).compared("oeq", times) | large;
  auto const odd_bit = (pushed.as_bits() & pushed.as_bits().bits(1)).compared("ne", pushed.as_bits().bits(0));
  auto const odd = large.choose(large.named("zeroinitializer", "i1"), integral & odd_bit);

  auto const negative = sign_bit(x.as_bits()).compared("ne", x.as_bits().bits(0));
  auto const has_root = integral | size.compared("oeq", zero) | size.compared("oeq", infinity) | x.compared("uno", x);
  auto const undefined = negative.choose(has_root.choose(raised, x.number(std::nan(""))), raised);
  auto const with_signs = (negative & odd).choose(-undefined, undefined);
  auto const is_one =
      x.compared("oeq", one) | y.compared("oeq", zero) | (size.compared("oeq", one) & times.compared("oeq", infinity));
  return is_one.choose(one, with_signs).cast("fptrunc", "float");
}

}  // namespace ttune::inline v0::emit
