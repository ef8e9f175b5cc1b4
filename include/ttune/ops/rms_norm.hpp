// SPDX-License-Identifier: Apache-2.0
// Normalisation by the root mean square along the last dimension (Zhang and Sennrich, "Root Mean Square Layer
// Normalization", 2019).
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Divides each row by the root of the mean of its squares, then applies a gain. 16-bit floats are computed in 32 bits.
/// Shape: X (rows, columns), gain (columns) -> Y (rows, columns)
template <class T = float>
[[nodiscard]] auto rms_norm(std::int64_t rows, std::int64_t columns, double epsilon = 1e-5) {
  auto const [i, k] = axes<"i", "k">;
  tensor<"X", T, 2> const X{{rows, columns}};  // (rows, columns)
  tensor<"gain", T, 1> const gain{{columns}};  // (columns)
  using wide = accumulator_t<T>;
  auto const value = in_type<wide>(X(i, k));
  auto const scale = compute<"scale">(i) = rsqrt(sum(over(k), value * value) / columns + epsilon);  // (rows)
  auto const Y = compute<"Y">(i, k) = in_type<T>(value * scale(i) * in_type<wide>(gain(k)));
  return op(inputs(X, gain), outputs(Y), "rms_norm");  // (rows, columns)
}

}}}  // namespace ttune::v0::ops
