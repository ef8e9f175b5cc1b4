// SPDX-License-Identifier: Apache-2.0
// Convolution of sequences, channels first.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/ops/activation.hpp"
#include "ttune/ops/window.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Shape of a convolution of sequences.
struct conv1d_shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t length = 1;
  std::int64_t filters = 1;
  std::int64_t kernel = 1;  ///< taps of a filter
  std::int64_t stride = 1;
  std::int64_t padding = 0;   ///< zeros on each side
  std::int64_t dilation = 1;  ///< distance between taps

  [[nodiscard]] ops::window window() const noexcept { return {kernel, stride, padding, dilation}; }
  [[nodiscard]] std::int64_t out_length() const noexcept { return window().positions(length); }
};

/// Convolution with a bias per filter and an activation.
/// Shape: I (N, C, L), W (F, C, S) constant, bias (F) -> O (N, F, OL)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv1d_bias(conv1d_shape const& s, activation then = activation::none) {
  auto const [n, f, x, c, t] = axes<"n", "f", "x", "c", "s">;
  tensor<"I", T, 3> const I{{s.batch, s.channels, s.length}};      // (N, C, L)
  constant<"W", T, 3> const W{{s.filters, s.channels, s.kernel}};  // (F, C, S)
  tensor<"bias", Sum, 1> const bias{{s.filters}};                  // (F)
  auto const element = zero_outside(I)(n, c, s.window().element(x, t));
  auto const sums = sum(over(c, t), in_type<Sum>(element) * in_type<Sum>(W(f, c, t)));
  auto const O = compute<"O">(n, f.in(s.filters), x.in(s.out_length())) = activated(then, sums + bias(f));
  return op(inputs(I, W, bias), outputs(O), detail::name_with("conv1d_bias", then));  // (N, F, OL)
}

}}}  // namespace ttune::v0::ops
