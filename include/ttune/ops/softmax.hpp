// SPDX-License-Identifier: Apache-2.0
// Softmax along the last dimension.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Softmax of each row. The largest element of the row is subtracted first, so that nothing overflows. 16-bit floats
/// are computed in 32 bits. The exponentials and the row sums are separate stages, so that each is computed once.
/// Shape: S (rows, columns) -> P (rows, columns)
template <class T = float>
[[nodiscard]] auto softmax(std::int64_t rows, std::int64_t columns) {
  auto const [i, k] = axes<"i", "k">;
  tensor<"S", T, 2> const S{{rows, columns}};  // (rows, columns)
  auto const value = in_type<accumulator_t<T>>(S(i, k));
  auto const E = compute<"E">(i, k) = exp(value - max(over(k), value));    // (rows, columns)
  auto const inverse = compute<"inverse">(i) = 1 / sum(over(k), E(i, k));  // (rows)
  auto const P = compute<"P">(i, k) = in_type<T>(E(i, k) * inverse(i));    // (rows, columns)
  return op(inputs(S), outputs(P), "softmax");
}

}}}  // namespace ttune::v0::ops
