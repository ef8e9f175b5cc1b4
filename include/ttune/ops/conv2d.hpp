// SPDX-License-Identifier: Apache-2.0
// Convolution of images, channels first and channels last.
#pragma once

#include <string>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/ops/window.hpp"
#include "ttune/support/error.hpp"

namespace ttune::inline v0::ops {

struct conv2d_shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t filters = 1;
  std::int64_t kernel = 1;  ///< height and width of the filters
  std::int64_t stride = 1;
  std::int64_t padding = 0;   ///< zeros on each side
  std::int64_t dilation = 1;  ///< from one tap to the next
  std::int64_t groups = 1;    ///< divides channels and filters: filters of a group see its channels only

  [[nodiscard]] ops::window window() const noexcept { return {kernel, stride, padding, dilation}; }
  [[nodiscard]] std::int64_t out_height() const noexcept { return window().positions(height); }
  [[nodiscard]] std::int64_t out_width() const noexcept { return window().positions(width); }
  [[nodiscard]] std::int64_t group_channels() const noexcept { return channels / groups; }
  [[nodiscard]] std::int64_t group_filters() const noexcept { return filters / groups; }
};

namespace detail {

/// Calls `make` with the channel of the image that term `c` of filter `f` reads.
template <class Make, class Filter, class Channel>
auto with_channel(conv2d_shape const& s, Make const& make, Filter const& f, Channel const& c) {
  if (s.groups == 1) return make(c);
  if (s.groups < 1 || s.channels % s.groups != 0 || s.filters % s.groups != 0)
    throw program_error("conv2d: " + std::to_string(s.groups) + " groups do not divide " + std::to_string(s.channels) +
                        " channels and " + std::to_string(s.filters) + " filters");
  return make(f / s.group_filters() * s.group_channels() + c);
}

}  // namespace detail

/// Shape: I (N, C, H, W), W (F, C / groups, R, S) constant -> O (N, F, OH, OW), row-major
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv2d(conv2d_shape const& s) {
  auto const [n, f, y, x, c, r, t] = axes<"n", "f", "y", "x", "c", "r", "s">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};               // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.group_channels(), s.kernel, s.kernel}};  // (F, C / groups, R, S)
  auto const convolution = [&](auto const& channel) {
    auto const pixel = zero_outside(I)(n, channel, s.window().element(y, r), s.window().element(x, t));
    auto const O = compute<"O">(n, f, y.in(s.out_height()), x.in(s.out_width())) =
        sum(over(c, r, t), in_type<Sum>(pixel) * in_type<Sum>(W(f, c, r, t)));
    return op(inputs(I, W), outputs(O), "conv2d");  // (N, F, OH, OW)
  };
  return detail::with_channel(s, convolution, f, c);
}

/// The same with a bias a filter and the rectifier behind it, in one kernel.
/// Shape: I (N, C, H, W), W (F, C / groups, R, S) constant, bias (F) -> O (N, F, OH, OW)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv2d_bias_relu(conv2d_shape const& s) {
  auto const [n, f, y, x, c, r, t] = axes<"n", "f", "y", "x", "c", "r", "s">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};               // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.group_channels(), s.kernel, s.kernel}};  // (F, C / groups, R, S)
  tensor<"bias", Sum, 1> const bias{{s.filters}};                                    // (F)
  auto const convolution = [&](auto const& channel) {
    auto const pixel = zero_outside(I)(n, channel, s.window().element(y, r), s.window().element(x, t));
    auto const O = compute<"O">(n, f, y.in(s.out_height()), x.in(s.out_width())) =
        relu(sum(over(c, r, t), in_type<Sum>(pixel) * in_type<Sum>(W(f, c, r, t))) + bias(f));
    return op(inputs(I, W, bias), outputs(O), "conv2d_bias_relu");  // (N, F, OH, OW)
  };
  return detail::with_channel(s, convolution, f, c);
}

/// Channels last.
/// Shape: I (N, H, W, C), W (R, S, C / groups, F) constant -> O (N, OH, OW, F)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv2d_nhwc(conv2d_shape const& s) {
  auto const [n, y, x, f, r, t, c] = axes<"n", "y", "x", "f", "r", "s", "c">;
  tensor<"I", T, 4> const I{{s.batch, s.height, s.width, s.channels}};               // (N, H, W, C)
  constant<"W", T, 4> const W{{s.kernel, s.kernel, s.group_channels(), s.filters}};  // (R, S, C / groups, F)
  auto const convolution = [&](auto const& channel) {
    auto const pixel = zero_outside(I)(n, s.window().element(y, r), s.window().element(x, t), channel);
    auto const O = compute<"O">(n, y.in(s.out_height()), x.in(s.out_width()), f) =
        sum(over(r, t, c), in_type<Sum>(pixel) * in_type<Sum>(W(r, t, c, f)));
    return op(inputs(I, W), outputs(O), "conv2d_nhwc");  // (N, OH, OW, F)
  };
  return detail::with_channel(s, convolution, f, c);
}

}  // namespace ttune::inline v0::ops
