// SPDX-License-Identifier: Apache-2.0
// Rows of a table chosen by data: embeddings.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/expr/tensor.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Returns the rows of W with the numbers in `at`, which must be less than `rows`.
/// Shape: at (count), W (rows, columns) -> Y (count, columns)
template <class T = float, class Index = std::int32_t>
[[nodiscard]] auto gather_rows(std::int64_t count, std::int64_t rows, std::int64_t columns) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"at", Index, 1> const chosen{{count}, values(0, rows)};   // (count)
  tensor<"W", T, 2> const W{{rows, columns}};                      // (rows, columns)
  auto const Y = compute<"Y">(i, j) = W(ttune::at(chosen(i)), j);  // (count, columns)
  return op(inputs(chosen, W), outputs(Y), "gather_rows");
}

}}}  // namespace ttune::v0::ops
