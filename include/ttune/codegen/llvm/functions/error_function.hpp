// SPDX-License-Identifier: Apache-2.0
// erf of all lanes at once. Floats use a polynomial for each of eight intervals where their coefficients can be held in
// registers, else one polynomial in an exponent. Doubles use a series about the nearest point of a table.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "ttune/codegen/llvm/functions/exponential.hpp"
#include "ttune/codegen/llvm/functions/permuted_rows.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

/// Returns erf of floats as 1 - 2^(-x p(x)), where p(x) = -log2(erfc(x)) / x is smooth, so that one polynomial serves
/// all x until erf is 1. 1 - 2^n (1 + tail) keeps the relative precision of small results. Weighted minimax fits: p on
/// [0, 4], by x erfc(x) / erf(x), and (2^r - 1) / r for |r| <= 0.5; relative errors of erf of 4e-9 and 2e-9.
[[nodiscard]] inline lane_value error_function_in_exponent(lane_value const& x) {
  std::vector<double> const exponent{1.6279070351289548,     0.9184476251474967,     0.14827706728606294,
                                     -0.027632032387616575,  -0.0002314007417880225, 0.0024050118502025658,
                                     -0.0009129908229077802, 0.00016972057568914462, -1.3353973893009395e-05};
  std::vector<double> const power{0.6931472062482427,   0.24022651345911825,   0.05550327791200146,
                                  0.009618003890309907, 0.0013400269654493396, 0.00015476300138856202};
  auto const size = at_most(magnitude(x), 4);
  auto const p = polynomial(size, exponent);
  auto const pusher = x.number(0x1.8p23 + exponent_bias(x));  // shifts the fraction out
  auto const pushed = fused(-size, p, pusher);
  auto const scale = pushed.as_bits().shifted_left(23).as_real();
  auto const r = fused(-size, p, pusher - pushed);
  auto const tail = r * polynomial(r, power);
  return with_sign(fused(-scale, tail, x.number(1) - scale), x);
}

/// Returns erf of floats by polynomials of degree 6 in d = 1.91 |x| - k, where k is the nearest integer: relative
/// minimax fits with errors of at most 2.1e-8. erf is 1 from the limit on; the quadratic coefficient of the last
/// interval is moved until its polynomial is 1 there.
[[nodiscard]] inline lane_value error_function_by_intervals(lane_value const& x) {
  std::vector<std::vector<double>> const rows{
      // coefficients of d^0, d^1, …; an entry per k
      {0, 0.540958405, 0.861353993, 0.97366786, 0.996940553, 0.999786198, 0.999991119, 0.999999762},
      {0.590774417, 0.449133098, 0.197349116, 0.0501187146, 0.00735649653, 0.000624109874, 3.06059046e-05,
       8.67716039e-07},
      {-2.91924607e-07, -0.123114176, -0.108193025, -0.0412150398, -0.00806610845, -0.000855371822, -5.03332085e-05,
       -1.55e-06},
      {-0.0539732464, -0.0185438879, 0.0215031989, 0.0180191845, 0.00522529753, 0.000724156271, 5.22375922e-05,
       2.03366426e-06},
      {-5.90196469e-05, 0.0137877576, 0.00399391167, -0.00364113809, -0.00212775613, -0.00041839655, -3.84211489e-05,
       -1.80427355e-06},
      {0.00466949912, 4.58751856e-05, -0.00258189952, -0.000310234434, 0.000492677791, 0.000172912914, 2.22097351e-05,
       1.34851837e-06},
      {-0.000417995499, -0.000987160369, 0.00017036096, 0.000340112339, -2.38525481e-05, -4.68171311e-05,
       -9.04508579e-06, -7.04492948e-07}};
  auto const size = at_most(magnitude(x), 3.925);
  auto const steps = x.number(1.91);
  auto const pusher = x.number(0x1.8p23);  // shifts the fraction out: k is in the low bits
  auto const pushed = fused(size, steps, pusher);
  auto const d = fused(size, steps, pusher - pushed);
  auto const k = pushed.as_bits();
  auto sum = permuted_row(rows.back(), k);
  for (std::size_t i = rows.size() - 1; i-- > 0;) sum = fused(sum, d, permuted_row(rows[i], k));
  return (sum.as_bits() ^ sign_bit(x.as_bits())).as_real();
}

constexpr int error_function_steps = 64;  // points of the table in 1
constexpr int error_function_end = 6;     // erf of doubles is 1 from here on

/// Returns erf and its derivative at the multiples of 1 / 64 up to 6, alternately.
[[nodiscard]] inline std::vector<double> const& error_function_points() {
  static std::vector<double> const points = [] {
    std::vector<double> made;
    for (int k = 0; k <= error_function_end * error_function_steps; ++k) {
      auto const at = static_cast<long double>(k) / error_function_steps;
      made.push_back(static_cast<double>(std::erf(at)));
      made.push_back(static_cast<double>(2 * std::numbers::inv_sqrtpi_v<long double> * std::exp(-at * at)));
    }
    return made;
  }();
  return points;
}

/// Returns erf of doubles: erf(a + d) = erf(a) + erf'(a) d (1 + s), where a is the nearest point of the table, z = a d
/// and 1 + s is the integral of exp(-2 z t - d^2 t^2) over t in [0, 1]: the Taylor series in z and d^2, as far as its
/// terms count.
[[nodiscard]] inline lane_value error_function_by_points(lane_value const& x) {
  auto const size = at_most(magnitude(x), error_function_end);
  auto const pusher = x.number(0x1.8p52 / error_function_steps);  // shifts out what is below 1 / 64
  auto const pushed = size + pusher;
  auto const a = pushed - pusher;
  auto const d = size - a;
  auto const k = pushed.as_bits() & pushed.as_bits().bits(511);
  auto [value, slope] = looked_up_pairs(x.sink->constants(error_function_points()), k);
  auto const z = a * d;
  auto const square = d * d;
  auto const of_z = z * horner(z, {-1, 2.0 / 3, -1.0 / 3, 2.0 / 15, -2.0 / 45});
  auto const of_both = fused(square, x.number(-1.0 / 42), horner(z, {1.0 / 10, -1.0 / 6}));
  auto const of_square = fused(square, of_both, horner(z, {-1.0 / 3, 1.0 / 2, -2.0 / 5, 2.0 / 9}));
  auto const s = fused(square, of_square, of_z);
  auto const step = slope * d;
  auto const sum = fused(step, s, step) + value;
  return with_sign(sum, x);
}

}  // namespace detail

/// Returns erf. `same_bits`: the result does not depend on which instructions a machine with multiply-adds has.
[[nodiscard]] inline lane_value error_function(lane_value const& x, bool same_bits) {
  if (x.wide()) return detail::error_function_by_points(x);
  bool const has_rows = x.sink->permutes() && x.sink->has_fma() && !same_bits;
  return has_rows ? detail::error_function_by_intervals(x) : detail::error_function_in_exponent(x);
}

}}}  // namespace ttune::v0::codegen
