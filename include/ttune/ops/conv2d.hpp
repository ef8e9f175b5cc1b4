// SPDX-License-Identifier: Apache-2.0
// Convolution of images, channels first.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"

namespace ttune::inline v0::ops {

struct conv2d_shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t filters = 1;
  std::int64_t kernel = 1;  ///< height and width of the filters
  std::int64_t stride = 1;
  std::int64_t padding = 0; ///< zeros on each side

  [[nodiscard]] std::int64_t out_height() const noexcept { return (height + 2 * padding - kernel) / stride + 1; }
  [[nodiscard]] std::int64_t out_width() const noexcept { return (width + 2 * padding - kernel) / stride + 1; }
};

/// Shape: I (N, C, H, W), W (F, C, R, S) constant -> O (N, F, OH, OW), row-major
template <class T = float>
[[nodiscard]] auto conv2d(conv2d_shape const& s) {
  const auto [n, f, y, x, c, r, t] = axes<"n", "f", "y", "x", "c", "r", "s">;
  const tensor<"I", T, 4> I{{s.batch, s.channels, s.height, s.width}};           // (N, C, H, W)
  const constant<"W", T, 4> W{{s.filters, s.channels, s.kernel, s.kernel}};      // (F, C, R, S)
  const auto pixel = zero_outside(I)(n, c, y * s.stride + r - s.padding, x * s.stride + t - s.padding);
  const auto O = compute<"O">(n, f, y.in(s.out_height()), x.in(s.out_width())) = sum(over(c, r, t), pixel * W(f, c, r, t));
  return op(inputs(I, W), outputs(O), "conv2d");                                 // (N, F, OH, OW)
}

/// The same with a bias a filter and the rectifier behind it, in one kernel.
/// Shape: I (N, C, H, W), W (F, C, R, S) constant, bias (F) -> O (N, F, OH, OW)
template <class T = float>
[[nodiscard]] auto conv2d_bias_relu(conv2d_shape const& s) {
  const auto [n, f, y, x, c, r, t] = axes<"n", "f", "y", "x", "c", "r", "s">;
  const tensor<"I", T, 4> I{{s.batch, s.channels, s.height, s.width}};           // (N, C, H, W)
  const constant<"W", T, 4> W{{s.filters, s.channels, s.kernel, s.kernel}};      // (F, C, R, S)
  const tensor<"bias", T, 1> bias{{s.filters}};                                  // (F)
  const auto pixel = zero_outside(I)(n, c, y * s.stride + r - s.padding, x * s.stride + t - s.padding);
  const auto O = compute<"O">(n, f, y.in(s.out_height()), x.in(s.out_width())) =
      relu(sum(over(c, r, t), pixel * W(f, c, r, t)) + bias(f));
  return op(inputs(I, W, bias), outputs(O), "conv2d_bias_relu");                 // (N, F, OH, OW)
}

}  // namespace ttune::inline v0::ops
