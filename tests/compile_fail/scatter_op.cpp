// SPDX-License-Identifier: Apache-2.0
// expect-error: the left side is axes only
// expect-culprit: C
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  [[maybe_unused]] auto const [i, j, k, kk] = axes<"i", "j", "k", "kk">;
  [[maybe_unused]] tensor<"A", float, 2> const A{{8, 4}};
  [[maybe_unused]] tensor<"B", float, 2> const B{{4, 6}};
  [[maybe_unused]] tensor<"Idx", int, 1> const Idx{{4}, values(0, 8)};
  [[maybe_unused]] tensor<"U", signed char, 2> const U{{8, 4}};
#ifdef TTUNE_CONTROL
  auto const C = compute<"C">(k, j) = B(k, j);
  (void)op(inputs(B), outputs(C), "scatter");
#else
  auto const C = compute<"C">(at(Idx(k)), j) = B(k, j);
  auto const D = compute<"D">(i, j) = 2 * C(i, j);
  (void)op(inputs(B, Idx), outputs(D), "scatter");
#endif
}
