// SPDX-License-Identifier: Apache-2.0
// Convolution of volumes and films, channels first.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/ops/activation.hpp"
#include "ttune/ops/window.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Shape of a convolution of volumes.
struct conv3d_shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t depth = 1;  ///< layers of a volume, or frames of a film
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t filters = 1;
  std::int64_t kernel = 1;  ///< depth, height and width of the filters
  std::int64_t stride = 1;
  std::int64_t padding = 0;   ///< zeros on each side
  std::int64_t dilation = 1;  ///< distance between taps

  [[nodiscard]] ops::window window() const noexcept { return {kernel, stride, padding, dilation}; }
  [[nodiscard]] std::int64_t out_depth() const noexcept { return window().positions(depth); }
  [[nodiscard]] std::int64_t out_height() const noexcept { return window().positions(height); }
  [[nodiscard]] std::int64_t out_width() const noexcept { return window().positions(width); }
};

/// Convolution with a bias per filter and an activation.
/// Shape: I (N, C, D, H, W), W (F, C, Q, R, S) constant, bias (F) -> O (N, F, OD, OH, OW)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv3d_bias(conv3d_shape const& s, activation then = activation::none) {
  auto const [n, f, z, y, x, c, q, r, t] = axes<"n", "f", "z", "y", "x", "c", "q", "r", "s">;
  tensor<"I", T, 5> const I{{s.batch, s.channels, s.depth, s.height, s.width}};        // (N, C, D, H, W)
  constant<"W", T, 5> const W{{s.filters, s.channels, s.kernel, s.kernel, s.kernel}};  // (F, C, Q, R, S)
  tensor<"bias", Sum, 1> const bias{{s.filters}};                                      // (F)
  auto const w = s.window();
  auto const element = zero_outside(I)(n, c, w.element(z, q), w.element(y, r), w.element(x, t));
  auto const sums = sum(over(c, q, r, t), in_type<Sum>(element) * in_type<Sum>(W(f, c, q, r, t)));
  auto const O = compute<"O">(n, f.in(s.filters), z.in(s.out_depth()), y.in(s.out_height()), x.in(s.out_width())) =
      activated(then, sums + bias(f));
  return op(inputs(I, W, bias), outputs(O), detail::name_with("conv3d_bias", then));  // (N, F, OD, OH, OW)
}

}}}  // namespace ttune::v0::ops
