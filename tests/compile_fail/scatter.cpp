// SPDX-License-Identifier: Apache-2.0
// expect-error: for a sum into places that data choose, write sum\(over\(i\), select\(place\(i\) == b, ...\)\)
// expect-culprit: index_expr
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  [[maybe_unused]] auto const [i, j, k, kk] = axes<"i", "j", "k", "kk">;
  [[maybe_unused]] tensor<"A", float, 2> const A{{8, 4}};
  [[maybe_unused]] tensor<"B", float, 2> const B{{4, 6}};
  [[maybe_unused]] tensor<"Idx", int, 1> const Idx{{4}};
  [[maybe_unused]] tensor<"U", signed char, 2> const U{{8, 4}};
#ifdef TTUNE_CONTROL
  (void)(compute<"C">(k) = Idx(k));
#else
  (void)(compute<"C">(k + 1) = Idx(k));
#endif
}
