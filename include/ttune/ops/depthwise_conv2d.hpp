// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: each channel has its own filter; channels first.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/ops/activation.hpp"
#include "ttune/ops/window.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Depthwise convolution.
/// Shape: I (N, C, H, W), W (C, R, S) constant -> O (N, C, OH, OW)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto depthwise_conv2d(window2d_shape const& s) {
  auto const [n, c, y, x, r, t] = axes<"n", "c", "y", "x", "r", "s">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};  // (N, C, H, W)
  constant<"W", T, 3> const W{{s.channels, s.kernel, s.kernel}};        // (C, R, S)
  auto const w = s.window();
  auto const pixel = zero_outside(I)(n, c, w.element(y, r), w.element(x, t));
  auto const O = compute<"O">(n, c, y.in(s.out_height()), x.in(s.out_width())) =
      sum(over(r, t), in_type<Sum>(pixel) * in_type<Sum>(W(c, r, t)));
  return op(inputs(I, W), outputs(O), "depthwise_conv2d");  // (N, C, OH, OW)
}

/// Depthwise convolution with a bias per channel and an activation, in one kernel.
/// Shape: I (N, C, H, W), W (C, R, S) constant, bias (C) -> O (N, C, OH, OW)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto depthwise_conv2d_bias(window2d_shape const& s, activation then = activation::none) {
  auto const [n, c, y, x, r, t] = axes<"n", "c", "y", "x", "r", "s">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};  // (N, C, H, W)
  constant<"W", T, 3> const W{{s.channels, s.kernel, s.kernel}};        // (C, R, S)
  tensor<"bias", Sum, 1> const bias{{s.channels}};                      // (C)
  auto const w = s.window();
  auto const pixel = zero_outside(I)(n, c, w.element(y, r), w.element(x, t));
  auto const sums = sum(over(r, t), in_type<Sum>(pixel) * in_type<Sum>(W(c, r, t)));
  auto const O = compute<"O">(n, c, y.in(s.out_height()), x.in(s.out_width())) = activated(then, sums + bias(c));
  return op(inputs(I, W, bias), outputs(O), detail::name_with("depthwise_conv2d_bias", then));  // (N, C, OH, OW)
}

}}}  // namespace ttune::v0::ops
