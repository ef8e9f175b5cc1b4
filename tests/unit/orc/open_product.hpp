// SPDX-License-Identifier: Apache-2.0
// A product of matrices whose three extents calls give.
#pragma once

#include "ttune/expr.hpp"

namespace ttune_test {

/// Shape: A (M, K), B (K, N) -> C (M, N)
inline auto open_product(ttune::dim const& m, ttune::dim const& n, ttune::dim const& k) {
  using namespace ttune;
  auto const [i, j, t] = axes<"i", "j", "t">;
  tensor<"A", float, 2> const A{{m, k}};
  tensor<"B", float, 2> const B{{k, n}};
  auto const C = compute<"C">(i, j) = sum(over(t), A(i, t) * B(t, j));
  return op(inputs(A, B), outputs(C), "product");
}

}  // namespace ttune_test
