// SPDX-License-Identifier: Apache-2.0
// Layer normalisation along the last dimension (Ba, Kiros and Hinton, "Layer Normalization", 2016).
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Scales each row to mean 0 and variance 1, then applies gain and bias. The variance is the mean of squared
/// deviations; a difference of squares would cancel. 16-bit floats are computed in 32 bits. Per-row scalars are
/// separate stages, so that they are computed once.
/// Shape: X (rows, columns), gain (columns), bias (columns) -> Y (rows, columns)
template <class T = float>
[[nodiscard]] auto layer_norm(std::int64_t rows, std::int64_t columns, double epsilon = 1e-5) {
  auto const [i, k] = axes<"i", "k">;
  tensor<"X", T, 2> const X{{rows, columns}};  // (rows, columns)
  tensor<"gain", T, 1> const gain{{columns}};  // (columns)
  tensor<"bias", T, 1> const bias{{columns}};  // (columns)
  using wide = accumulator_t<T>;
  auto const value = in_type<wide>(X(i, k));
  auto const mean = compute<"mean">(i) = sum(over(k), value) / columns;  // (rows)
  auto const off = value - mean(i);
  auto const scale = compute<"scale">(i) = rsqrt(sum(over(k), off * off) / columns + epsilon);  // (rows)
  auto const scaled = off * scale(i) * in_type<wide>(gain(k));
  auto const Y = compute<"Y">(i, k) = in_type<T>(scaled + in_type<wide>(bias(k)));
  return op(inputs(X, gain, bias), outputs(Y), "layer_norm");  // (rows, columns)
}

}}}  // namespace ttune::v0::ops
