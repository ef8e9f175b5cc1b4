// SPDX-License-Identifier: Apache-2.0
// The sum of two tensors, as where a residual joins.
#pragma once

#include "ttune/expr/op.hpp"
#include "ttune/ops/activation.hpp"
#include "ttune/ops/any_rank.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Returns the activation of A + B: `add<4>({1, 64, 56, 56}, activation::relu)`.
/// Shape: A, B -> C, all of `shape`
template <int Rank, class T = float>
[[nodiscard]] auto add(shape_of_rank<Rank> const& shape, activation then = activation::none) {
  auto const A = detail::tensor_of<"A", T, Rank>(shape);
  auto const B = detail::tensor_of<"B", T, Rank>(shape);
  return detail::with_axes<Rank>([&](auto const&... at) {
    auto const C = compute<"C">(at...) = activated(then, A(at...) + B(at...));
    return op(inputs(A, B), outputs(C), detail::name_with("add", then));
  });
}

/// `add` with a rectifier (ReLU).
template <int Rank, class T = float>
[[nodiscard]] auto add_relu(shape_of_rank<Rank> const& shape) {
  return add<Rank, T>(shape, activation::relu);
}

}}}  // namespace ttune::v0::ops
