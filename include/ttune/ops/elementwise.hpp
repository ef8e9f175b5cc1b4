// SPDX-License-Identifier: Apache-2.0
// Chains of element-wise functions, computed in one pass over memory.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/activation.hpp"
#include "ttune/ops/any_rank.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Adds a bias and applies gelu (by the error function), as after a linear layer. An example for other chains.
/// Shape: X (rows, columns), bias (columns) -> Y (rows, columns)
template <class T = float>
[[nodiscard]] auto bias_gelu(std::int64_t rows, std::int64_t columns) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", T, 2> const X{{rows, columns}};                   // (rows, columns)
  tensor<"bias", T, 1> const bias{{columns}};                   // (columns)
  auto const Y = compute<"Y">(i, j) = gelu(X(i, j) + bias(j));  // (rows, columns)
  return op(inputs(X, bias), outputs(Y), "bias_gelu");
}

/// Applies an activation that no other operator applies: `activate<2>({1, 512}, activation::tanh)`.
/// Shape: X -> Y, both of `shape`
template <int Rank, class T = float>
[[nodiscard]] auto activate(shape_of_rank<Rank> const& shape, activation how) {
  auto const X = detail::tensor_of<"X", T, Rank>(shape);
  return detail::with_axes<Rank>([&](auto const&... at) {
    auto const Y = compute<"Y">(at...) = activated(how, X(at...));
    return op(inputs(X), outputs(Y), detail::name_with("activate", how));
  });
}

}}}  // namespace ttune::v0::ops
