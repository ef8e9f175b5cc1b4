// SPDX-License-Identifier: Apache-2.0
// Layers of quantised networks: activations u8, weights i8, sums i32. A byte q stands for the number (q - zero) scale.
// A result is rounded half to even and limited to 0 … 255, which is a rectifier if its zero is 0.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/any_rank.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/dense.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// The meaning of bytes: q stands for (q - zero) scale.
struct byte_scale {
  double scale = 1;
  std::uint8_t zero = 0;
};

/// Returns the nearest bytes: round(X / scale) + zero, limited to 0 … 255.
/// Shape: X -> Y (u8), both of `shape`
template <int Rank>
[[nodiscard]] auto quantize(shape_of_rank<Rank> const& shape, byte_scale const& to) {
  auto const X = detail::tensor_of<"X", float, Rank>(shape);
  return detail::with_axes<Rank>([&](auto const&... at) {
    auto const Y = compute<"Y">(at...) = cast<std::uint8_t>(round(X(at...) / to.scale) + static_cast<double>(to.zero));
    return op(inputs(X), outputs(Y), "quantize");
  });
}

/// Returns the numbers that bytes stand for: (X - zero) scale.
/// Shape: X (u8) -> Y, both of `shape`
template <int Rank>
[[nodiscard]] auto dequantize(shape_of_rank<Rank> const& shape, byte_scale const& from) {
  auto const X = detail::tensor_of<"X", std::uint8_t, Rank>(shape);
  return detail::with_axes<Rank>([&](auto const&... at) {
    auto const Y = compute<"Y">(at...) = (cast<float>(X(at...)) - static_cast<double>(from.zero)) * from.scale;
    return op(inputs(X), outputs(Y), "dequantize");
  });
}

namespace detail {

/// Channels of pixels that dot products of bytes take at once.
inline constexpr std::int64_t channels_at_once = 4;

[[nodiscard]] inline std::int64_t filled_channels(conv2d_shape const& s) noexcept {
  return (s.channels + channels_at_once - 1) / channels_at_once * channels_at_once;
}

/// Returns true if dot products need a copy of the image: with a border that is not zero, or with whole groups of
/// channels. Filters of a group read few channels, and stay as they are.
[[nodiscard]] inline bool needs_whole_pixels(conv2d_shape const& s, std::uint8_t outside) noexcept {
  return s.groups == 1 && ((outside != 0 && s.padding > 0) || s.channels % channels_at_once != 0);
}

}  // namespace detail

/// Convolution of bytes: round((sums + bias) factor) + zero. The sums take the bytes as they are, so the bias of a
/// filter contains -(zero of I) (sum of its weights); pixels outside of the image are `outside`, the zero of I. The
/// factor is the scale of I times that of the filter, over that of O; `zero` is that of O, the same for all filters.
/// A stage copies the image with its border, and fills its channels up to four, if dot products need it.
/// Shape: I (N, C, H, W) u8, W (F, C / groups, R, S) i8 constant, bias (F) i32, factor (F), zero (F) ->
///        O (N, F, OH, OW) u8
[[nodiscard]] inline auto quantized_conv2d(conv2d_shape const& s, std::uint8_t outside = 0) {
  auto const [n, f, y, x, c, r, t] = axes<"n", "f", "y", "x", "c", "r", "s">;
  tensor<"I", std::uint8_t, 4> const I{{s.batch, s.channels, s.height, s.width}};              // (N, C, H, W)
  constant<"W", std::int8_t, 4> const W{{s.filters, s.group_channels(), s.kernel, s.kernel}};  // (F, C / groups, R, S)
  tensor<"bias", std::int32_t, 1> const bias{{s.filters}};                                     // (F)
  tensor<"factor", float, 1> const factor{{s.filters}};                                        // (F)
  tensor<"zero", float, 1> const zero{{s.filters}};                                            // (F)
  auto const finish = [&](auto const& sums) {
    auto const O = compute<"O">(n, f.in(s.filters), y.in(s.out_height()), x.in(s.out_width())) =
        cast<std::uint8_t>(round(cast<float>(sums + bias(f)) * factor(f)) + zero(f));  // (N, F, OH, OW)
    return op(inputs(I, W, bias, factor, zero), outputs(O), "quantized_conv2d");
  };
  auto const product = [](auto const& pixel, auto const& weight) {
    return cast<std::int32_t>(pixel) * cast<std::int32_t>(weight);
  };
  if (detail::needs_whole_pixels(s, outside)) {
    auto const count = detail::filled_channels(s);
    auto const P = compute<"P">(n.in(s.batch), y.in(s.height + 2 * s.padding), x.in(s.width + 2 * s.padding),
                                c.in(count)) = value_outside(I, outside)(n, c, y - s.padding, x - s.padding);
    auto const V = compute<"V">(f.in(s.filters), c.in(count), r.in(s.kernel), t.in(s.kernel)) =
        zero_outside(W)(f, c, r, t);
    return finish(sum(over(c.in(count), r.in(s.kernel), t.in(s.kernel)),
                      product(P(n, y * s.stride + r * s.dilation, x * s.stride + t * s.dilation, c), V(f, c, r, t))));
  }
  return detail::convolve<false>(
      s,
      [&](auto const& channel, auto const& filter) {
        return product(value_outside(I, outside)(n, channel, s.window().element(y, r), s.window().element(x, t)),
                       W(filter, c, r, t));
      },
      finish);
}

/// Dense layer of bytes; bias, factor and zero are as those of `quantized_conv2d`.
/// Shape: X (batch, inputs) u8, W (inputs, outputs) i8 constant, or (outputs, inputs), bias (outputs) i32,
///        factor (outputs), zero (outputs) -> Y (batch, outputs) u8
[[nodiscard]] inline auto quantized_dense(dense_shape const& s) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", std::uint8_t, 2> const X{{s.batch, s.inputs}};  // (batch, inputs)
  constant<"W", std::int8_t, 2> const W{
      {s.transposed ? s.outputs : s.inputs, s.transposed ? s.inputs : s.outputs}};  // (inputs, outputs) or reversed
  tensor<"bias", std::int32_t, 1> const bias{{s.outputs}};                          // (outputs)
  tensor<"factor", float, 1> const factor{{s.outputs}};                             // (outputs)
  tensor<"zero", float, 1> const zero{{s.outputs}};                                 // (outputs)
  auto const layer = [&](auto const& weight) {
    auto const sums = sum(over(k), cast<std::int32_t>(X(i, k)) * cast<std::int32_t>(weight));
    auto const Y = compute<"Y">(i, j) =
        cast<std::uint8_t>(round(cast<float>(sums + bias(j)) * factor(j)) + zero(j));  // (batch, outputs)
    return op(inputs(X, W, bias, factor, zero), outputs(Y), "quantized_dense");
  };
  return s.transposed ? layer(W(j, k)) : layer(W(k, j));
}

/// The sum of two tensors of bytes: round(A numbers[0] + B numbers[1] + numbers[2]). The first two numbers are the
/// scales of A and B over that of C; the third one is zero_C - zero_A numbers[0] - zero_B numbers[1]. Shape: A, B -> C,
/// all u8 of `shape`; numbers (3)
template <int Rank>
[[nodiscard]] auto quantized_add(shape_of_rank<Rank> const& shape) {
  auto const A = detail::tensor_of<"A", std::uint8_t, Rank>(shape);
  auto const B = detail::tensor_of<"B", std::uint8_t, Rank>(shape);
  tensor<"numbers", float, 1> const numbers{{3}};
  return detail::with_axes<Rank>([&](auto const&... at) {
    auto const added = cast<float>(A(at...)) * numbers(0) + cast<float>(B(at...)) * numbers(1) + numbers(2);
    auto const C = compute<"C">(at...) = cast<std::uint8_t>(round(added));
    return op(inputs(A, B, numbers), outputs(C), "quantized_add");
  });
}

/// The mean of each channel of bytes: round(sum factor) + zero; the factor is the scale of I over that of O and over
/// the number of pixels. The zero of I must be 0. Shape: I (N, C, H, W) u8 -> O (N, C) u8
[[nodiscard]] inline auto quantized_average_pool(std::int64_t batch, std::int64_t channels, std::int64_t height,
                                                 std::int64_t width, double factor, std::uint8_t zero = 0) {
  auto const [n, c, y, x] = axes<"n", "c", "y", "x">;
  tensor<"I", std::uint8_t, 4> const I{{batch, channels, height, width}};  // (N, C, H, W)
  auto const total = cast<float>(sum(over(y, x), cast<std::int32_t>(I(n, c, y, x))));
  auto const O = compute<"O">(n, c) = cast<std::uint8_t>(round(total * factor) + static_cast<double>(zero));
  return op(inputs(I), outputs(O), "quantized_average_pool");  // (N, C)
}

}}}  // namespace ttune::v0::ops
