// SPDX-License-Identifier: Apache-2.0
// Dense (fully connected) layers: a product with constant weights, a bias and an activation in one kernel.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/ops/activation.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Shape of a dense layer.
struct dense_shape {
  std::int64_t batch = 1;
  std::int64_t inputs = 1;
  std::int64_t outputs = 1;
  bool transposed = false;  ///< weights are (outputs, inputs), as ONNX' Gemm has them with transB
};

/// Returns the activation of X W + bias. For a batch of 1 the time is that of reading the weights.
/// Shape: X (batch, inputs), W (inputs, outputs) constant, or (outputs, inputs), bias (outputs) -> Y (batch, outputs)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto dense(dense_shape const& s, activation then = activation::none) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", T, 2> const X{{s.batch, s.inputs}};  // (batch, inputs)
  constant<"W", T, 2> const W{
      {s.transposed ? s.outputs : s.inputs, s.transposed ? s.inputs : s.outputs}};  // (inputs, outputs) or reversed
  tensor<"bias", Sum, 1> const bias{{s.outputs}};                                   // (outputs)
  auto const layer = [&](auto const& weight) {
    auto const sums = sum(over(k), in_type<Sum>(X(i, k)) * in_type<Sum>(weight));
    auto const Y = compute<"Y">(i, j) = activated(then, sums + bias(j));  // (batch, outputs)
    return op(inputs(X, W, bias), outputs(Y), detail::name_with("dense", then));
  };
  return s.transposed ? layer(W(j, k)) : layer(W(k, j));
}

}}}  // namespace ttune::v0::ops
