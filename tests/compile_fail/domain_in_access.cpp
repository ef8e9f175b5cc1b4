// SPDX-License-Identifier: Apache-2.0
// expect-error: domains are boxes
// expect-culprit: "k
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  [[maybe_unused]] auto const [i, k] = axes<"i", "k">;
  tensor<"A", float, 2> const A{{8, 4}};
#ifdef TTUNE_CONTROL
  (void)(compute<"C">(i) = sum(over(k.in(3)), A(i, k)));
#else
  (void)(compute<"C">(i) = sum(over(k), A(i, k.in(3))));
#endif
}
