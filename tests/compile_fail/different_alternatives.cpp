// SPDX-License-Identifier: Apache-2.0
// expect-error: alternatives must compute the same operator
// expect-culprit: op_type
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  [[maybe_unused]] auto const [i, j, k, kk] = axes<"i", "j", "k", "kk">;
  [[maybe_unused]] tensor<"A", float, 2> const A{{8, 4}};
  [[maybe_unused]] tensor<"B", float, 2> const B{{4, 6}};
  [[maybe_unused]] tensor<"Idx", int, 1> const Idx{{4}};
  [[maybe_unused]] tensor<"U", signed char, 2> const U{{8, 4}};
#ifdef TTUNE_CONTROL
  const auto C = compute<"C">(i, k) = exp(A(i, k));
  (void)alternatives(op(inputs(A), outputs(C)), op(inputs(A), outputs(C)));
#else
  const auto C = compute<"C">(i, k) = exp(A(i, k));
  auto const D = compute<"D">(k) = Idx(k);
  (void)alternatives(op(inputs(A), outputs(C)), op(inputs(Idx), outputs(D)));
#endif
}
