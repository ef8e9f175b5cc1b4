// SPDX-License-Identifier: Apache-2.0
// The largest elements of rows.
#pragma once

#include "ttune/expr/largest.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/expr/tensor.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// The `k` largest elements of each row (or the smallest), in order, and their columns; equal ones from left to right.
/// `k` is at most 32. The list of a row with less than `k` numbers is that of `largest` (expr/largest.hpp).
/// Shape: X (rows, columns) -> V (rows, k), P (rows, k)
template <class T = float>
[[nodiscard]] auto top_k(std::int64_t rows, std::int64_t columns, int k, bool smallest_first = false) {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"X", T, 2> const X{{rows, columns}};  // (rows, columns)
  auto const top = smallest_first ? smallest<"top">(over(j), X(i, j), k) : largest<"top">(over(j), X(i, j), k);
  auto const V = compute<"V">(i, r.in(k)) = top.value(r);  // (rows, k)
  auto const P = compute<"P">(i, r.in(k)) = top.place(r);  // (rows, k)
  return op(inputs(X), outputs(V, P), "top_k");
}

}}}  // namespace ttune::v0::ops
