// SPDX-License-Identifier: Apache-2.0
// expect-error: the operator has no operand of this name and of free layout
// expect-culprit: "?A
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  auto const [i, j] = axes<"i", "j">;
#ifdef TTUNE_CONTROL
  tensor<"A", float, 2, layout::any> const A{{8, 4}};
#else
  tensor<"A", float, 2> const A{{8, 4}};
#endif
  auto const B = compute<"B">(i, j) = A(i, j) + 1;
  (void)op(inputs(A), outputs(B)).with_layout<"A">(operand_layout({1, 0}));
}
