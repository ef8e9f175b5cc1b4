// SPDX-License-Identifier: Apache-2.0
// Convolution of images in the layouts channels first (NCHW) and channels last (NHWC).
#pragma once

#include <string>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/ops/activation.hpp"
#include "ttune/ops/window.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Shape of a convolution of images.
struct conv2d_shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t filters = 1;
  std::int64_t kernel = 1;  ///< height and width of the filters
  std::int64_t stride = 1;
  std::int64_t padding = 0;   ///< zeros on each side
  std::int64_t dilation = 1;  ///< distance between taps
  std::int64_t groups = 1;    ///< divides channels and filters: filters of a group read its channels only

  [[nodiscard]] ops::window window() const noexcept { return {kernel, stride, padding, dilation}; }
  [[nodiscard]] std::int64_t out_height() const noexcept { return window().positions(height); }
  [[nodiscard]] std::int64_t out_width() const noexcept { return window().positions(width); }
  [[nodiscard]] std::int64_t group_channels() const noexcept { return groups > 0 ? channels / groups : 0; }
  [[nodiscard]] std::int64_t group_filters() const noexcept { return groups > 0 ? filters / groups : 0; }
};

namespace detail {

inline void check_groups(conv2d_shape const& s) {
  if (s.groups < 1 || s.channels % s.groups != 0 || s.filters % s.groups != 0)
    throw program_error("conv2d: " + std::to_string(s.groups) + " groups do not divide " + std::to_string(s.channels) +
                        " channels and " + std::to_string(s.filters) + " filters");
}

/// Returns `finish` of the convolution at (n, f, y, x). `term(channel, filter)` is a product under the sum over c, r,
/// s.
///
/// Groups are an axis of a separate stage "G", which `finish` reads. With the channel f / (F / groups) * (C / groups) +
/// c instead, the loops could not be tiled and vectorised.
template <bool ChannelsLast, class Term, class Finish>
auto convolve(conv2d_shape const& s, Term const& term, Finish const& finish) {
  auto const [n, f, y, x, c, r, t, g, h] = axes<"n", "f", "y", "x", "c", "r", "s", "g", "h">;
  check_groups(s);
  auto const summed = [&](auto const& product) {
    if constexpr (ChannelsLast) return sum(over(r, t, c), product);
    else return sum(over(c, r, t), product);
  };
  auto const per_group = s.group_filters();
  if (s.groups == 1) return finish(summed(term(c, f)));
  if (per_group == 1 && s.group_channels() == 1) return finish(summed(term(f, f)));
  if (per_group == 1) return finish(summed(term(f * s.group_channels() + c, f)));
  // G: (N, groups, F / groups, OH, OW), or channels last
  auto const rows = y.in(s.out_height());
  auto const columns = x.in(s.out_width());
  auto const each = summed(term(g * s.group_channels() + c, g * per_group + h));
  if constexpr (ChannelsLast) {
    auto const G = compute<"G">(n, rows, columns, g.in(s.groups), h.in(per_group)) = each;
    return finish(G(n, y, x, f / per_group, f % per_group));
  } else {
    auto const G = compute<"G">(n, g.in(s.groups), h.in(per_group), rows, columns) = each;
    return finish(G(n, f / per_group, f % per_group, y, x));
  }
}

/// Returns the product of I and W in the layout channels first.
template <class Sum, class Image, class Filters>
auto nchw_term(conv2d_shape const& s, Image const& I, Filters const& W) {
  return [=](auto const& channel, auto const& filter) {
    auto const [n, y, x, c, r, t] = axes<"n", "y", "x", "c", "r", "s">;
    auto const pixel = zero_outside(I)(n, channel, s.window().element(y, r), s.window().element(x, t));
    return in_type<Sum>(pixel) * in_type<Sum>(W(filter, c, r, t));
  };
}

}  // namespace detail

/// Convolution, channels first.
/// Shape: I (N, C, H, W), W (F, C / groups, R, S) constant -> O (N, F, OH, OW), row-major
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv2d(conv2d_shape const& s) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};               // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.group_channels(), s.kernel, s.kernel}};  // (F, C / groups, R, S)
  return detail::convolve<false>(s, detail::nchw_term<Sum>(s, I, W), [&](auto const& sums) {
    auto const O = compute<"O">(n, f.in(s.filters), y.in(s.out_height()), x.in(s.out_width())) =
        sums;  // (N, F, OH, OW)
    return op(inputs(I, W), outputs(O), "conv2d");
  });
}

/// Convolution with a bias per filter and an activation, in one kernel. Without an activation it is the linear end of a
/// layer, for example before a residual is added.
/// Shape: I (N, C, H, W), W (F, C / groups, R, S) constant, bias (F) -> O (N, F, OH, OW)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv2d_bias(conv2d_shape const& s, activation then = activation::none) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};               // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.group_channels(), s.kernel, s.kernel}};  // (F, C / groups, R, S)
  tensor<"bias", Sum, 1> const bias{{s.filters}};                                    // (F)
  return detail::convolve<false>(s, detail::nchw_term<Sum>(s, I, W), [&](auto const& sums) {
    auto const O = compute<"O">(n, f.in(s.filters), y.in(s.out_height()), x.in(s.out_width())) =
        activated(then, sums + bias(f));
    return op(inputs(I, W, bias), outputs(O), detail::name_with("conv2d_bias", then));  // (N, F, OH, OW)
  });
}

/// `conv2d_bias` with a rectifier (ReLU).
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv2d_bias_relu(conv2d_shape const& s) {
  return conv2d_bias<T, Sum>(s, activation::relu);
}

/// Convolution, channels last.
/// Shape: I (N, H, W, C), W (R, S, C / groups, F) constant -> O (N, OH, OW, F)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv2d_nhwc(conv2d_shape const& s) {
  auto const [n, y, x, f, r, t, c] = axes<"n", "y", "x", "f", "r", "s", "c">;
  tensor<"I", T, 4> const I{{s.batch, s.height, s.width, s.channels}};               // (N, H, W, C)
  constant<"W", T, 4> const W{{s.kernel, s.kernel, s.group_channels(), s.filters}};  // (R, S, C / groups, F)
  auto const term = [&](auto const& channel, auto const& filter) {
    auto const pixel = zero_outside(I)(n, s.window().element(y, r), s.window().element(x, t), channel);
    return in_type<Sum>(pixel) * in_type<Sum>(W(r, t, c, filter));
  };
  return detail::convolve<true>(s, term, [&](auto const& sums) {
    auto const O = compute<"O">(n, y.in(s.out_height()), x.in(s.out_width()), f.in(s.filters)) =
        sums;  // (N, OH, OW, F)
    return op(inputs(I, W), outputs(O), "conv2d_nhwc");
  });
}

}}}  // namespace ttune::v0::ops
