// SPDX-License-Identifier: Apache-2.0
// Transposed convolution of images by Winograd's method, as a convolution of stride 1 that computes all phases.
//
// With a stride of S and R taps, row y of the output is phase h = (y + padding) % S of position q = (y + padding) / S:
// the sum over r of I(q - r) W(h + S r), with T = ceil(R / S) taps. All phases of a position read the same pixels. They
// are the filters of one convolution with kernels of T x T, over about as many positions as there are pixels.
#pragma once

#include "ttune/ops/conv_transpose2d.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/ops/winograd/transposed.hpp"

namespace ttune { inline namespace v0 { namespace ops {

namespace detail {

/// Winograd's transposed convolution; `finish(sum)` is the expression of O at (n, f, y, x).
template <class Image, class Filters, class Finish>
auto winograd_transposed(conv_transpose2d_shape const& s, winograd_tile const& how, Image const& I, Filters const& W,
                         Finish const& finish) {
  auto const [n, f, y, x, c, i] = axes<"n", "f", "y", "x", "c", "i">;
  check_transposed(s);
  auto const before = s.taps() - 1 - first_position(s);
  auto const image = [&](auto const& row, auto const& column) {
    return zero_outside(I)(n, c, row - before, column - before);
  };
  auto const phase = f / s.filters;
  auto const weight = [&](std::int64_t tap) {
    return zero_outside(W)(c, f % s.filters, phase / s.stride + s.stride * (s.taps() - 1 - tap),
                           phase % s.stride + s.stride * (s.taps() - 1 - i));
  };
  return winograd_as(convolution_of_phases(s), how, image, weight, [&](auto const& Z) {
    auto const row = y + s.padding;
    auto const column = x + s.padding;
    return finish(Z(n, row / s.stride - first_position(s), column / s.stride - first_position(s),
                    (row % s.stride * s.stride + column % s.stride) * s.filters + f));
  });
}

}  // namespace detail

/// The operator `conv_transpose2d`, computed by Winograd's method.
/// Shape: I (N, C, H, W), W (C, F, R, R) constant -> O (N, F, OH, OW), row-major
template <class T = float>
[[nodiscard]] auto winograd_conv_transpose2d(conv_transpose2d_shape const& s, winograd_tile const& how = {}) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.channels, s.filters, s.kernel, s.kernel}};  // (C, F, R, S)
  return detail::winograd_transposed(s, how, I, W, [&](auto const& sums) {
    auto const O = compute<"O">(n, f.in(s.filters), y.in(s.out_height()), x.in(s.out_width())) = sums;
    return op(inputs(I, W), outputs(O), detail::transposed_name_of(how)).with_error(detail::error_of(s, how));
  });
}

/// The operator `conv_transpose2d_bias`, computed by Winograd's method.
/// Shape: I (N, C, H, W), W (C, F, R, R) constant, bias (F) -> O (N, F, OH, OW)
template <class T = float>
[[nodiscard]] auto winograd_conv_transpose2d_bias(conv_transpose2d_shape const& s, winograd_tile const& how = {},
                                                  activation then = activation::none) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.channels, s.filters, s.kernel, s.kernel}};  // (C, F, R, S)
  tensor<"bias", T, 1> const bias{{s.filters}};                              // (F)
  return detail::winograd_transposed(s, how, I, W, [&](auto const& sums) {
    auto const O = compute<"O">(n, f.in(s.filters), y.in(s.out_height()), x.in(s.out_width())) =
        activated(then, sums + bias(f));
    return op(inputs(I, W, bias), outputs(O), detail::transposed_name_of(how)).with_error(detail::error_of(s, how));
  });
}

/// `conv_transpose2d` with the equivalent computes that are worth a trial for its shape: the direct one first, then
/// those by Winograd's method (`winograd_candidates`).
template <class T = float>
[[nodiscard]] auto conv_transpose2d_alternatives(conv_transpose2d_shape const& s) {
  return detail::with_winograd(s, conv_transpose2d<T>(s),
                               [&](auto const& how) { return winograd_conv_transpose2d<T>(s, how); });
}
template <class T = float>
[[nodiscard]] auto conv_transpose2d_bias_alternatives(conv_transpose2d_shape const& s,
                                                      activation then = activation::none) {
  return detail::with_winograd(s, conv_transpose2d_bias<T>(s, then),
                               [&](auto const& how) { return winograd_conv_transpose2d_bias<T>(s, how, then); });
}

}}}  // namespace ttune::v0::ops
