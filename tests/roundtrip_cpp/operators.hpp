// SPDX-License-Identifier: Apache-2.0
// The operators of the pasted schedules.
#pragma once

#include "ttune/ops/matmul.hpp"

namespace ttune_test {

inline auto matmul() { return ttune::ops::matmul(13, 12, 10); }

inline auto conv() {
  auto const [f, y, x, c, r, s] = ttune::axes<"f", "y", "x", "c", "r", "s">;
  ttune::tensor<"I", float, 3> const I{{3, 9, 8}};
  ttune::constant<"W", float, 4> const W{{5, 3, 3, 3}};
  auto const P = ttune::compute<"P">(f, y.in(9), x.in(8)) =
      ttune::sum(ttune::over(c, r, s), ttune::zero_outside(I)(c, y + r - 1, x + s - 1) * W(f, c, r, s));
  auto const O = ttune::compute<"O">(f, y, x) = ttune::max(P(f, y, x), 0.0F);
  return ttune::op(inputs(I, W), outputs(O), "conv");
}

inline auto softmax() {
  auto const [i, k] = ttune::axes<"i", "k">;
  ttune::tensor<"S", float, 2> const S{{6, 15}};
  auto const M = ttune::compute<"M">(i) = ttune::max(ttune::over(k), S(i, k));
  auto const E = ttune::compute<"E">(i, k) = ttune::exp(S(i, k) - M(i));
  auto const Z = ttune::compute<"Z">(i) = ttune::sum(ttune::over(k), E(i, k));
  auto const Q = ttune::compute<"Q">(i, k) = E(i, k) / Z(i);
  return ttune::op(inputs(S), outputs(Q), "softmax");
}

inline auto stencil() {
  auto const [z, y, x] = ttune::axes<"z", "y", "x">;
  ttune::tensor<"A", double, 3> const A{{4, 7, 9}};
  auto const B = ttune::compute<"B">(z, y, x) = A(z, y, x) * 2.0;
  auto const C = ttune::compute<"C">(z.in(4), y.in(7), x.in(9)) =
      ttune::zero_outside(B)(z - 1, y, x) + ttune::zero_outside(B)(z, y + 1, x) + ttune::zero_outside(B)(z, y, x - 1);
  return ttune::op(inputs(A), outputs(C), "stencil");
}

inline auto pool() {
  auto const [c, y, x, r, s] = ttune::axes<"c", "y", "x", "r", "s">;
  ttune::tensor<"I", std::int32_t, 3> const I{{3, 11, 13}};
  auto const P = ttune::compute<"P">(c, y.in(5), x.in(6)) =
      ttune::max(ttune::over(r.in(3), s.in(3)), I(c, y * 2 + r, x * 2 + s));
  auto const D = ttune::compute<"D">(c, y, x) = P(c, y, x) + 1;
  return ttune::op(inputs(I), outputs(D), "pool");
}

}  // namespace ttune_test
