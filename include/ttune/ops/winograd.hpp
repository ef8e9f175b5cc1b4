// SPDX-License-Identifier: Apache-2.0
// Convolution of images by Winograd's method: fewer products than a direct sum, at the cost of transforms and of a
// larger rounding error (winograd/matrices.hpp).
#pragma once

#include "ttune/ops/fused.hpp"
#include "ttune/ops/winograd/candidates.hpp"
#include "ttune/ops/winograd/one_dimension.hpp"
#include "ttune/ops/winograd/two_dimensions.hpp"

namespace ttune { inline namespace v0 { namespace ops {

namespace detail {

/// Returns `finish(Z)` for the result Z (N, OH, OW, F), tiled along one dimension or both. `image(y, x)` and
/// `weight(tap)` are expressions at channel c and filter f; `weight` also depends on the tap i along rows.
template <class Image, class Weights, class Finish>
auto winograd_as(conv2d_shape const& s, winograd_tile const& how, Image const& image, Weights const& weight,
                 Finish const& finish) {
  if (s.dilation != 1 || s.groups != 1) throw program_error("winograd: dilation and groups of a convolution must be 1");
  return how.one_dimension ? finish(convolve_in_one_dimension(s, how, image, weight))
                           : finish(convolve_in_two_dimensions(s, how, image, weight));
}

/// Winograd convolution of an image with channels first; `finish(Z)` is the expression of O at (n, f, y, x).
template <class T, class Image, class Weights, class Finish>
auto winograd_nchw(conv2d_shape const& s, winograd_tile const& how, Image const& I, Weights const& W,
                   Finish const& finish) {
  auto const [n, f, c, i] = axes<"n", "f", "c", "i">;
  auto const image = [&](auto const& row, auto const& column) { return zero_outside(I)(n, c, row, column); };
  auto const weight = [&](std::int64_t tap) { return W(f, c, tap, i); };
  return winograd_as(s, how, image, weight, finish);
}

}  // namespace detail

/// The operator `conv2d`, computed by Winograd's method.
/// Shape: I (N, C, H, W), W (F, C, R, R) constant -> O (N, F, OH, OW), row-major
template <class T = float>
[[nodiscard]] auto winograd_conv2d(conv2d_shape const& s, winograd_tile const& how = {}) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.channels, s.kernel, s.kernel}};  // (F, C, R, S)
  return detail::winograd_nchw<T>(s, how, I, W, [&](auto const& Z) {
    auto const O = compute<"O">(n, f, y, x) = Z(n, y, x, f);  // (N, F, OH, OW)
    return op(inputs(I, W), outputs(O), detail::name_of(how)).with_error(detail::error_of(s, how));
  });
}

/// The operator `conv2d_bias`, computed by Winograd's method.
/// Shape: I (N, C, H, W), W (F, C, R, R) constant, bias (F) -> O (N, F, OH, OW)
template <class T = float>
[[nodiscard]] auto winograd_conv2d_bias(conv2d_shape const& s, winograd_tile const& how = {},
                                        activation then = activation::none) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.channels, s.kernel, s.kernel}};  // (F, C, R, S)
  tensor<"bias", T, 1> const bias{{s.filters}};                              // (F)
  return detail::winograd_nchw<T>(s, how, I, W, [&](auto const& Z) {
    auto const O = compute<"O">(n, f, y, x) = activated(then, Z(n, y, x, f) + bias(f));  // (N, F, OH, OW)
    return op(inputs(I, W, bias), outputs(O), detail::name_of(how)).with_error(detail::error_of(s, how));
  });
}

/// `winograd_conv2d_bias` with a rectifier (ReLU).
template <class T = float>
[[nodiscard]] auto winograd_conv2d_bias_relu(conv2d_shape const& s, winograd_tile const& how = {}) {
  return winograd_conv2d_bias<T>(s, how, activation::relu);
}

/// The operator `conv2d_bias_residual`, computed by Winograd's method.
/// Shape: I (N, C, H, W), W (F, C, R, R) constant, bias (F), residual (N, F, OH, OW) -> O (N, F, OH, OW)
template <class T = float>
[[nodiscard]] auto winograd_conv2d_bias_residual(conv2d_shape const& s, winograd_tile const& how = {},
                                                 activation then = activation::none) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};                    // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.channels, s.kernel, s.kernel}};               // (F, C, R, S)
  tensor<"bias", T, 1> const bias{{s.filters}};                                           // (F)
  tensor<"residual", T, 4> const R{{s.batch, s.filters, s.out_height(), s.out_width()}};  // (N, F, OH, OW)
  return detail::winograd_nchw<T>(s, how, I, W, [&](auto const& Z) {
    auto const O = compute<"O">(n, f, y, x) = activated(then, Z(n, y, x, f) + bias(f) + R(n, f, y, x));
    return op(inputs(I, W, bias, R), outputs(O), detail::name_of(how)).with_error(detail::error_of(s, how));
  });
}

/// The operator `conv2d_nhwc`, computed by Winograd's method.
/// Shape: I (N, H, W, C), W (R, R, C, F) constant -> O (N, OH, OW, F)
template <class T = float>
[[nodiscard]] auto winograd_conv2d_nhwc(conv2d_shape const& s, winograd_tile const& how = {}) {
  auto const [n, y, x, f, c, i] = axes<"n", "y", "x", "f", "c", "i">;
  tensor<"I", T, 4> const I{{s.batch, s.height, s.width, s.channels}};       // (N, H, W, C)
  constant<"W", T, 4> const W{{s.kernel, s.kernel, s.channels, s.filters}};  // (R, S, C, F)
  auto const image = [&](auto const& row, auto const& column) { return zero_outside(I)(n, row, column, c); };
  auto const weight = [&](std::int64_t tap) { return W(tap, i, c, f); };
  return detail::winograd_as(s, how, image, weight, [&](auto const& Z) {
    auto const O = compute<"O">(n, y, x, f) = Z(n, y, x, f);  // (N, OH, OW, F)
    return op(inputs(I, W), outputs(O), detail::name_of(how)).with_error(detail::error_of(s, how));
  });
}

namespace detail {

/// Returns alternatives: a direct convolution, and `make(tiling)` for each candidate of its shape.
template <class Shape, class Op, class Make>
auto with_winograd(Shape const& s, Op direct, Make const& make) {
  std::vector<Op> all{std::move(direct)};
  for (auto const& one : winograd_candidates(s)) all.push_back(make(one.how));
  return alternatives_type(std::move(all));
}

}  // namespace detail

/// `conv2d` with the equivalent computes that are worth a trial for its shape: the direct one first, then those by
/// Winograd's method (`winograd_candidates`).
template <class T = float>
[[nodiscard]] auto conv2d_alternatives(conv2d_shape const& s) {
  return detail::with_winograd(s, conv2d<T>(s), [&](auto const& how) { return winograd_conv2d<T>(s, how); });
}
template <class T = float>
[[nodiscard]] auto conv2d_bias_alternatives(conv2d_shape const& s, activation then = activation::none) {
  return detail::with_winograd(s, conv2d_bias<T>(s, then),
                               [&](auto const& how) { return winograd_conv2d_bias<T>(s, how, then); });
}
template <class T = float>
[[nodiscard]] auto conv2d_bias_relu_alternatives(conv2d_shape const& s) {
  return conv2d_bias_alternatives<T>(s, activation::relu);
}
template <class T = float>
[[nodiscard]] auto conv2d_bias_residual_alternatives(conv2d_shape const& s, activation then = activation::none) {
  return detail::with_winograd(s, conv2d_bias_residual<T>(s, then),
                               [&](auto const& how) { return winograd_conv2d_bias_residual<T>(s, how, then); });
}
template <class T = float>
[[nodiscard]] auto conv2d_nhwc_alternatives(conv2d_shape const& s) {
  return detail::with_winograd(s, conv2d_nhwc<T>(s), [&](auto const& how) { return winograd_conv2d_nhwc<T>(s, how); });
}

}}}  // namespace ttune::v0::ops
