// SPDX-License-Identifier: Apache-2.0
// expect-error: an axis runs between integers or a dim
// expect-culprit: bound_of_axis
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  [[maybe_unused]] auto const [i, j, k, kk] = axes<"i", "j", "k", "kk">;
  [[maybe_unused]] tensor<"A", float, 2> const A{{8, 4}};
  [[maybe_unused]] tensor<"B", float, 2> const B{{4, 6}};
  [[maybe_unused]] tensor<"Idx", int, 1> const Idx{{8}};
  [[maybe_unused]] tensor<"U", signed char, 2> const U{{8, 4}};
#ifdef TTUNE_CONTROL
  (void)(compute<"C">(i) = sum(over(k), select(cast<int>(k) < Idx(i), A(i, k), 0)));
#else
  (void)(compute<"C">(i) = sum(over(k.in(Idx(i))), A(i, k)));
#endif
}
