// SPDX-License-Identifier: Apache-2.0
// Sums into places that data choose. A schedule adds each term to its place only (schedule/primitive/scatter.hpp).
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/expr/reduce.hpp"
#include "ttune/expr/tensor.hpp"
#include "ttune/ops/accumulate.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Counts the elements of each row that are 0, 1, … `bins` - 1. Others are not counted. A type of `Count` that is too
/// narrow for the number of columns wraps around.
/// Shape: X (rows, columns) -> H (rows, bins)
template <class T = std::uint8_t, class Count = std::int32_t>
[[nodiscard]] auto histogram(std::int64_t rows, std::int64_t columns, std::int64_t bins) {
  static_assert(is_integer(dtype_of<T>()),
                "ttune: histogram needs integers; cast floats to bins in an operator of one's own");
  auto const [i, b, k] = axes<"i", "b", "k">;
  tensor<"X", T, 2> const X{{rows, columns}};                                            // (rows, columns)
  auto const H = compute<"H">(i, b.in(bins)) = sum(over(k), cast<Count>(X(i, k) == b));  // (rows, bins)
  return op(inputs(X), outputs(H), "histogram");
}

/// Adds the rows of U to the rows of Y with the numbers in `at`: the gradient of `gather_rows`. Rows that are not
/// chosen are 0; numbers outside of [0, rows) are left out. Sums of narrow types are those of `accumulator_t`.
/// Shape: at (count), U (count, columns) -> Y (rows, columns)
template <class T = float, class Index = std::int32_t>
[[nodiscard]] auto scatter_add_rows(std::int64_t count, std::int64_t rows, std::int64_t columns) {
  auto const [v, j, i] = axes<"v", "j", "i">;
  tensor<"at", Index, 1> const at{{count}};     // (count)
  tensor<"U", T, 2> const U{{count, columns}};  // (count, columns)
  using wide = accumulator_t<T>;
  auto const Y = compute<"Y">(v.in(rows), j) = sum(over(i), select(at(i) == v, in_type<wide>(U(i, j)), wide(0)));
  return op(inputs(at, U), outputs(Y), "scatter_add_rows");  // (rows, columns)
}

}}}  // namespace ttune::v0::ops
