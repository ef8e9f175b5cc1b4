// SPDX-License-Identifier: Apache-2.0
// C = A * B.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"

namespace ttune::inline v0::ops {

/// Shape: A (M, K), B (K, N) -> C (M, N), row-major
template <class T = float>
[[nodiscard]] auto matmul(std::int64_t m, std::int64_t n, std::int64_t k_size) {
  const auto [i, j, k] = axes<"i", "j", "k">;
  const tensor<"A", T, 2> A{{m, k_size}};                                        // (M, K)
  const tensor<"B", T, 2> B{{k_size, n}};                                        // (K, N)
  const auto C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));           // (M, N)
  return op(inputs(A, B), outputs(C), "matmul");
}

}  // namespace ttune::inline v0::ops
