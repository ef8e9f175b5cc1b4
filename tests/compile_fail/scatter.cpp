// SPDX-License-Identifier: Apache-2.0
// expect-error: a scatter has no deterministic order
// expect-culprit: index_expr
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  [[maybe_unused]] const auto [i, j, k, kk] = axes<"i", "j", "k", "kk">;
  [[maybe_unused]] const tensor<"A", float, 2> A{{8, 4}};
  [[maybe_unused]] const tensor<"B", float, 2> B{{4, 6}};
  [[maybe_unused]] const tensor<"Idx", int, 1> Idx{{4}};
  [[maybe_unused]] const tensor<"U", signed char, 2> U{{8, 4}};
#ifdef TTUNE_CONTROL
  (void)(compute<"C">(k) = Idx(k));
#else
  (void)(compute<"C">(k + 1) = Idx(k));
#endif
}
