// SPDX-License-Identifier: Apache-2.0
// erf of all lanes at once: erf(x) = 1 - 2^(-x p(x)), where p(x) = -log2(erfc(x)) / x is smooth, so that one polynomial
// serves all x until erf is 1. 1 - 2^n (1 + tail) keeps the relative precision of small results.
#pragma once

#include <vector>

#include "ttune/codegen/llvm/functions/exponential.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

struct error_function_fit {
  double last;                   ///< erf is 1 from here on
  std::vector<double> exponent;  ///< coefficients of p on [0, last], weighted by x erfc(x) / erf(x)
  std::vector<double> power;     ///< coefficients of (2^r - 1) / r for |r| <= 0.5
};

/// Weighted minimax fits: relative errors of erf of 4e-9 and 2e-9 (floats), of 2^-57 and 2^-56 (doubles).
[[nodiscard]] inline error_function_fit fit_of_error_function(bool wide) {
  if (!wide)
    return {4,
            {1.6279070351289548, 0.9184476251474967, 0.14827706728606294, -0.027632032387616575, -0.0002314007417880225,
             0.0024050118502025658, -0.0009129908229077802, 0.00016972057568914462, -1.3353973893009395e-05},
            {0.6931472062482427, 0.24022651345911825, 0.05550327791200146, 0.009618003890309907, 0.0013400269654493396,
             0.00015476300138856202}};
  return {6,
          {1.627907028611115,       0.9184481885265735,      0.14826952512274377,    -0.02759651563420213,
           -0.00030180414803858283, 0.0024471085360702562,   -0.0008513711871672194, 3.7334866411711614e-05,
           9.304224893507044e-05,   -4.2883032956627576e-05, 4.916086368868475e-06,  4.0897176115530876e-06,
           -2.5120146839384298e-06, 4.848728803974426e-07,   1.9816692257323798e-07, -2.0465151046980854e-07,
           9.48887353267617e-08,    -3.026126778543757e-08,  7.215085357305494e-09,  -1.3113049693060648e-09,
           1.8026696832908158e-10,  -1.821213964268487e-11,  1.2775938551513798e-12, -5.5621514306845573e-14,
           1.1318031359376383e-15},
          {0.6931471805599453, 0.24022650695910097, 0.055504108664821236, 0.009618129107607065, 0.0013333558146531666,
           0.00015403530441482441, 1.5252733701168408e-05, 1.321544272326362e-06, 1.0178121321963057e-07,
           7.072561878875036e-09, 4.4455335134377405e-10}};
}

[[nodiscard]] inline lane_value error_function(lane_value const& x) {
  auto const fit = fit_of_error_function(x.wide());
  auto const size = at_most(magnitude(x), fit.last);
  auto const p = polynomial(size, fit.exponent);
  auto const pusher = x.number((x.wide() ? 0x1.8p52 : 0x1.8p23) + exponent_bias(x));  // shifts the fraction out
  auto const pushed = fused(-size, p, pusher);
  auto const scale = pushed.as_bits().shifted_left(x.wide() ? 52 : 23).as_real();
  auto const r = fused(-size, p, pusher - pushed);
  auto const tail = r * polynomial(r, fit.power);
  return with_sign(fused(-scale, tail, x.number(1) - scale), x);
}

}}}  // namespace ttune::v0::codegen
