// SPDX-License-Identifier: Apache-2.0
// Transposed convolution of images by Winograd's method: the outputs of all phases are convolutions of stride 1 that
// share their transformed input (winograd/transposed.hpp).
#pragma once

#include "ttune/ops/conv_transpose2d.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/ops/winograd/transposed.hpp"

namespace ttune { inline namespace v0 { namespace ops {

namespace detail {

/// Winograd's transposed convolution; `finish(sum)` is the expression of O at (n, f, y, x).
template <class T, class Image, class Filters, class Finish>
auto winograd_transposed(conv_transpose2d_shape const& s, winograd_tile const& how, Image const& I, Filters const& W,
                         Finish const& finish) {
  check_transposed(s);
  if (how.one_dimension) throw program_error("winograd: a transposed convolution is tiled along both dimensions");
  auto const rest = phases_of_dimension::rest(s);
  if (rest > 0 && how.points && !how.points->empty() && how.points->front() != 0)
    throw program_error("winograd: the first point of a transposed convolution must be 0");
  // The same as below, without a quotient, in the most frequent case.
  if (s.stride == 2 && rest == 1)
    return finish(transposed_by_phases<T>(s, how, I, W, [](auto const& phase) { return phase + 0; }));
  return finish(transposed_by_phases<T>(s, how, I, W, [&](auto const& phase) { return (phase + rest) / s.stride; }));
}

}  // namespace detail

/// The operator `conv_transpose2d`, computed by Winograd's method.
/// Shape: I (N, C, H, W), W (C, F, R, R) constant -> O (N, F, OH, OW), row-major
template <class T = float>
[[nodiscard]] auto winograd_conv_transpose2d(conv_transpose2d_shape const& s, winograd_tile const& how = {}) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.channels, s.filters, s.kernel, s.kernel}};  // (C, F, R, S)
  return detail::winograd_transposed<T>(s, how, I, W, [&](auto const& sums) {
    auto const O = compute<"O">(n.in(s.batch), f.in(s.filters), y.in(s.out_height()), x.in(s.out_width())) = sums;
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
  return detail::winograd_transposed<T>(s, how, I, W, [&](auto const& sums) {
    auto const O = compute<"O">(n.in(s.batch), f.in(s.filters), y.in(s.out_height()), x.in(s.out_width())) =
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
