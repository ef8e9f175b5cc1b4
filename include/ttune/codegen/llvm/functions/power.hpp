// SPDX-License-Identifier: Apache-2.0
// pow of all lanes at once: 2^(y log2 |x|) with more bits than the result has, and the special cases of C's pow.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "ttune/codegen/llvm/functions/exponential.hpp"
#include "ttune/codegen/llvm/functions/logarithm.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Returns |x|^y for floats, computed in doubles, without special cases. log2(1 + f) / f for -0.25 <= f < 0.5 and 2^r
/// for |r| <= 0.5 are minimax fits, relative errors 2^-33.2 and 2^-29.0; the logarithm's counts up to 150 times.
[[nodiscard]] inline lane_value power_of_floats(split_number const& x, lane_value const& y) {
  auto const f = (x.m - x.m.number(1)).cast("fpext", "double");
  auto const logarithm =
      fused(f,
            polynomial(f, {1.4426950409945587, -0.7213475168563547, 0.4808982822256376, -0.36067435932604297,
                           0.2885460234110041, -0.24042821869639322, 0.20582039761618023, -0.1803146185481863,
                           0.16465708172423818, -0.15287036209444058, 0.11550343324721962, -0.044954402737928036}),
            x.n.cast("fpext", "double"));
  auto const exponent = at_most(at_least(y.cast("fpext", "double") * logarithm, -200), 200);  // far beyond floats
  auto const pusher = exponent.number(0x1.8p52 + 1023);
  auto const pushed = exponent + pusher;
  auto const r = exponent - (pushed - pusher);
  auto const fraction = polynomial(r, {1.0000000005542222, 0.6931472057371089, 0.24022646890405355, 0.05550328777509786,
                                       0.009618488985280236, 0.0013399931049639334, 0.00015345804192248});
  return (fraction * pushed.as_bits().shifted_left(52).as_real()).cast("fptrunc", "float");
}

/// A number high + low, where low is at most the last place of high.
struct double_double {
  lane_value high;
  lane_value low;
};

/// Returns a + b; requires |a| >= |b|, or a = 0 (T. J. Dekker, "A floating-point technique for extending the available
/// precision", 1971).
[[nodiscard]] inline double_double fast_two_sum(lane_value const& a, lane_value const& b) {
  auto const sum = a + b;
  return {sum, (a - sum) + b};
}

/// Returns the upper 26 bits of a double.
[[nodiscard]] inline lane_value upper_half(lane_value const& x) {
  return (x.as_bits() & x.as_bits().bits(~((std::uint64_t{1} << 27) - 1))).as_real();
}

/// Returns a * b exactly (by Dekker's method where no multiply-add gives the low part).
[[nodiscard]] inline double_double two_product(lane_value const& a, lane_value const& b) {
  auto const product = a * b;
  if (a.sink->has_fma()) return {product, fused(a, b, -product)};
  auto const a_high = upper_half(a);
  auto const b_high = upper_half(b);
  auto const a_low = a - a_high;
  auto const b_low = b - b_high;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/// Returns -log(c) for c = k / 256, 171 <= k <= 341, in two parts; the first one has 42 bits after the point. The
/// entries are at k modulo 256.
[[nodiscard]] inline std::vector<double> logarithms_of_reciprocals() {
  std::vector<double> table(512);
  for (std::size_t k = 171; k <= 341; ++k) {
    auto const log = -std::log(static_cast<long double>(k) / 256);
    auto const high = std::ldexp(std::nearbyint(std::ldexp(log, 42)), -42);
    table[2 * (k % 256)] = static_cast<double>(high);
    table[2 * (k % 256) + 1] = static_cast<double>(log - high);
  }
  return table;
}

/// Returns log(x) = n ln 2 - log(c) + log(1 + r) with about 66 bits (P. T. P. Tang, "Table-driven implementation of the
/// logarithm function", 1990). c is 1 / m rounded to 8 bits after the point, so that r = c m - 1 is exact and at most m
/// / 512; near 1 c is 1, so that logarithms near 0 keep their relative precision. Sums are Dekker's; the square has a
/// low part, too.
[[nodiscard]] inline double_double precise_logarithm(split_number const& x) {
  auto const& m = x.m;
  auto const pusher = m.number(0x1.8p44);  // shifts out the bits after the first 8
  auto const pushed = m.number(1) / m + pusher;
  auto const c = pushed - pusher;
  auto const k = pushed.as_bits() & pushed.as_bits().bits(255);  // inside of the table, also for NaN
  auto const [log_high, log_low] = looked_up_pairs(m.sink->constants(logarithms_of_reciprocals()), k);
  auto const one = m.number(1);
  auto const r = m.sink->has_fma() ? fused(m, c, -one) : (upper_half(m) * c - one) + (m - upper_half(m)) * c;
  double const ln2_high = 0x1.62e42fefa38p-1;  // 42 bits after the point
  double const ln2_low = 0x1.ef35793c7673p-45;
  auto const sum = fast_two_sum(fused(x.n, m.number(ln2_high), log_high), r);
  auto const square = two_product(r * m.number(-0.5), r);
  auto const with_square = fast_two_sum(sum.high, square.high);
  std::vector<double> c_k;  // coefficients 1/3, -1/4, …
  for (int i = 3; i <= 7; ++i) c_k.push_back((i % 2 == 0 ? -1.0 : 1.0) / i);
  auto const rest = (r * r) * (r * polynomial(r, c_k));
  auto const low = fused(x.n, m.number(ln2_low), log_low) + (sum.low + (with_square.low + (square.low + rest)));
  auto const finite = bits_where(magnitude(x.n).compared("olt", m.number(HUGE_VAL)), low.as_bits()).as_real();
  return fast_two_sum(with_square.high, finite);  // 0 and infinity have no low part
}

/// Returns |x|^y for doubles, without the special cases.
[[nodiscard]] inline lane_value power_of_doubles(split_number const& x, lane_value const& y) {
  auto const log = precise_logarithm(x);
  auto const product = two_product(y, log.high);
  auto const low = fused(y, log.low, product.low);
  auto const is_ordinary = magnitude(product.high).compared("olt", y.number(1000));  // otherwise low may be NaN
  auto const small = bits_where(is_ordinary, low.as_bits()).as_real();
  return exponential(product.high, &small);
}

/// Returns true for numbers without a fraction, such as infinity; false for NaN.
[[nodiscard]] inline lane_value is_integral(lane_value const& size) {
  auto const limit = size.number(size.wide() ? 0x1p52 : 0x1p23);  // shifts the fraction out
  return ((size + limit) - limit).compared("oeq", size) | size.compared("oge", limit);
}

/// Applies the rules of IEEE 754 and C for zeros, infinities, NaN and negative bases to |x|^y.
[[nodiscard]] inline lane_value with_cases_of_power(lane_value const& raised, lane_value const& x,
                                                    lane_value const& y) {
  auto const one = x.number(1);
  auto const size = magnitude(x);
  auto const times = magnitude(y);
  auto const infinity = x.number(HUGE_VAL);
  auto const integral = is_integral(times);
  auto const half_integral = is_integral(times * x.number(0.5));
  auto const negative = x.as_bits().compared("slt", x.as_bits().bits(0));
  auto const has_root = integral | size.compared("oeq", x.number(0)) | size.compared("oeq", infinity);
  auto const bits = raised.as_bits();
  auto const zero = bits.bits(0);
  auto const nan = bits_where(negative, has_root.choose(zero, bits.bits(~std::uint64_t{0})));
  auto const minus =
      bits_where(negative & integral, half_integral.choose(zero, sign_bit(bits.bits(~std::uint64_t{0}))));
  auto const with_signs = ((bits | nan) ^ minus).as_real();
  auto const is_one = x.compared("oeq", one) | y.compared("oeq", x.number(0)) |
                      (size.compared("oeq", one) & times.compared("oeq", infinity));
  return is_one.choose(one, with_signs);
}

/// Returns x^y for all numbers.
[[nodiscard]] inline lane_value power(lane_value const& x, lane_value const& y) {
  auto const size = magnitude(x);
  auto const parts = split(size);
  return with_cases_of_power(x.wide() ? power_of_doubles(parts, y) : power_of_floats(parts, y), x, y);
}

/// Returns the condition that a number is zero, infinite or no number, by one comparison of integers: the shift drops
/// the sign, and the sum moves 0 to the largest integer.
[[nodiscard]] inline lane_value is_zero_or_not_finite(lane_value const& x) {
  auto const bits = x.as_bits();
  auto const moved = bits.shifted_left(1) + bits.bits(x.wide() ? 0x7fffffffffffffff : 0x7fffffff);
  return moved.compared("sgt", bits.bits(x.wide() ? 0x7fdffffffffffffe : 0x7efffffe));
}

/// Returns the condition that usual_power has another result than power: unless x is 0 or positive and normal, and y is
/// finite and not 0.
[[nodiscard]] inline lane_value is_unusual_power(lane_value const& x, lane_value const& y) {
  auto const bits = x.as_bits();
  auto const is_unusual_base = is_not_positive_normal(x) & bits.compared("ne", bits.bits(0));
  return is_unusual_base | is_zero_or_not_finite(y);
}

/// Returns x^y for the usual numbers.
[[nodiscard]] inline lane_value usual_power(lane_value const& x, lane_value const& y) {
  auto parts = split_normal(x);
  parts.n = x.compared("oeq", x.number(0)).choose(x.number(-HUGE_VAL), parts.n);
  return x.wide() ? power_of_doubles(parts, y) : power_of_floats(parts, y);
}

}}}  // namespace ttune::v0::codegen
