// SPDX-License-Identifier: Apache-2.0
// Transposed convolution of images, channels first: each pixel adds its filters to a window of the output.
#pragma once

#include <string>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/ops/activation.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Shape of a transposed convolution of images.
struct conv_transpose2d_shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t filters = 1;
  std::int64_t kernel = 1;          ///< height and width of the filters
  std::int64_t stride = 1;          ///< distance between the windows of neighbouring pixels
  std::int64_t padding = 0;         ///< rows and columns of the output that are cut off on each side
  std::int64_t output_padding = 0;  ///< rows and columns that are added at the end

  [[nodiscard]] std::int64_t out_height() const noexcept { return extent_of(height); }
  [[nodiscard]] std::int64_t out_width() const noexcept { return extent_of(width); }
  /// Returns the number of windows that meet in a row of the output.
  [[nodiscard]] std::int64_t taps() const noexcept { return ceil_divide(kernel, stride); }

 private:
  [[nodiscard]] std::int64_t extent_of(std::int64_t pixels) const noexcept {
    return (pixels - 1) * stride - 2 * padding + kernel + output_padding;
  }
};

namespace detail {

inline void check_transposed(conv_transpose2d_shape const& s) {
  if (s.stride < 1)
    throw program_error("conv_transpose2d: a stride of " + std::to_string(s.stride) + "; use 1 or more");
  if (s.output_padding < 0 || (s.output_padding > 0 && s.output_padding >= s.stride))
    throw program_error("conv_transpose2d: an output padding of " + std::to_string(s.output_padding) +
                        "; it must be less than the stride, " + std::to_string(s.stride));
  if (s.out_height() < 1 || s.out_width() < 1)
    throw program_error("conv_transpose2d: a padding of " + std::to_string(s.padding) +
                        " leaves no output; use a smaller one");
}

/// Returns the result at (n, f, y, x). A product of matrices multiplies each pixel with all taps; the output sums what
/// meets there. The terms of one sum over channels and taps would alternate with y and x.
template <class Sum, class Image, class Filters>
auto transposed_sums(conv_transpose2d_shape const& s, Image const& I, Filters const& W) {
  auto const [n, f, y, x, c, r, t] = axes<"n", "f", "y", "x", "c", "r", "s">;
  check_transposed(s);
  auto const M = compute<"M">(n, y, x, r, t, f) =
      sum(over(c), in_type<Sum>(I(n, c, y, x)) * in_type<Sum>(W(c, f, r, t)));  // (N, H, W, R, S, F)
  auto const row = y + s.padding;
  auto const column = x + s.padding;
  auto const met = zero_outside(M)(n, row / s.stride - r, column / s.stride - t, row % s.stride + s.stride * r,
                                   column % s.stride + s.stride * t, f);
  return sum(over(r.in(s.taps()), t.in(s.taps())), met);
}

}  // namespace detail

/// Transposed convolution; the gradient of `conv2d` with respect to its image.
/// Shape: I (N, C, H, W), W (C, F, R, S) constant -> O (N, F, OH, OW), OH = (H - 1) stride - 2 padding + R +
///        output padding
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv_transpose2d(conv_transpose2d_shape const& s) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.channels, s.filters, s.kernel, s.kernel}};  // (C, F, R, S)
  auto const O = compute<"O">(n, f, y.in(s.out_height()), x.in(s.out_width())) = detail::transposed_sums<Sum>(s, I, W);
  return op(inputs(I, W), outputs(O), "conv_transpose2d");  // (N, F, OH, OW)
}

/// Transposed convolution with a bias per filter and an activation, in one kernel.
/// Shape: I (N, C, H, W), W (C, F, R, S) constant, bias (F) -> O (N, F, OH, OW)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv_transpose2d_bias(conv_transpose2d_shape const& s, activation then = activation::none) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.channels, s.filters, s.kernel, s.kernel}};  // (C, F, R, S)
  tensor<"bias", Sum, 1> const bias{{s.filters}};                            // (F)
  auto const O = compute<"O">(n, f, y.in(s.out_height()), x.in(s.out_width())) =
      activated(then, detail::transposed_sums<Sum>(s, I, W) + bias(f));
  return op(inputs(I, W, bias), outputs(O), detail::name_with("conv_transpose2d_bias", then));  // (N, F, OH, OW)
}

}}}  // namespace ttune::v0::ops
