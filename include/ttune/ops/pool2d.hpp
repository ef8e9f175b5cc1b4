// SPDX-License-Identifier: Apache-2.0
// Pooling of images, channels first: the maximum of a window, or the mean.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>
#include <vector>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/window.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Maximum pooling. The padding has the smallest value of the type (-infinity for floats), so a window that covers only
/// padding returns that value.
/// Shape: I (N, C, H, W) -> O (N, C, OH, OW)
template <class T = float>
[[nodiscard]] auto max_pool2d(window2d_shape const& s) {
  auto const [n, c, y, x, r, t] = axes<"n", "c", "y", "x", "r", "s">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};  // (N, C, H, W)
  auto const w = s.window();
  auto const least =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  auto const pixel = value_outside(I, least)(n, c, w.element(y, r), w.element(x, t));
  auto const O = compute<"O">(n, c, y.in(s.out_height()), x.in(s.out_width())) =
      max(over(r.in(s.kernel), t.in(s.kernel)), pixel);
  return op(inputs(I), outputs(O), "max_pool2d");  // (N, C, OH, OW)
}

/// Average pooling: the mean of all taps; padding counts as zeros (ONNX' count_include_pad).
/// Shape: I (N, C, H, W) -> O (N, C, OH, OW)
template <class T = float>
[[nodiscard]] auto avg_pool2d(window2d_shape const& s) {
  auto const [n, c, y, x, r, t] = axes<"n", "c", "y", "x", "r", "s">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};  // (N, C, H, W)
  auto const w = s.window();
  auto const pixel = zero_outside(I)(n, c, w.element(y, r), w.element(x, t));
  auto const O = compute<"O">(n, c, y.in(s.out_height()), x.in(s.out_width())) =
      sum(over(r.in(s.kernel), t.in(s.kernel)), pixel) / (s.kernel * s.kernel);
  return op(inputs(I), outputs(O), "avg_pool2d");  // (N, C, OH, OW)
}

namespace detail {

/// Returns 1 / the number of taps inside of the image for each position; 0 where there are none.
[[nodiscard]] inline std::vector<double> shares_of_taps(window const& w, std::int64_t extent) {
  std::vector<double> made;
  for (std::int64_t position = 0; position < w.positions(extent); ++position) {
    std::int64_t inside = 0;
    for (std::int64_t tap = 0; tap < w.size; ++tap) {
      auto const element = w.element(position, tap);
      inside += element >= 0 && element < extent ? 1 : 0;
    }
    made.push_back(inside > 0 ? 1 / static_cast<double>(inside) : 0);
  }
  return made;
}

}  // namespace detail

/// Average pooling: the mean of the taps inside of the image; padding does not count. A window that covers only padding
/// returns 0.
/// Shape: I (N, C, H, W) -> O (N, C, OH, OW)
template <std::floating_point T = float>
[[nodiscard]] auto avg_pool2d_inside(window2d_shape const& s) {
  auto const [n, c, y, x, r, t] = axes<"n", "c", "y", "x", "r", "s">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};  // (N, C, H, W)
  auto const w = s.window();
  table<"of_rows", T, 1> const of_rows({s.out_height()}, detail::shares_of_taps(w, s.height));      // (OH)
  table<"of_columns", T, 1> const of_columns({s.out_width()}, detail::shares_of_taps(w, s.width));  // (OW)
  auto const pixel = zero_outside(I)(n, c, w.element(y, r), w.element(x, t));
  auto const O = compute<"O">(n, c, y.in(s.out_height()), x.in(s.out_width())) =
      sum(over(r.in(s.kernel), t.in(s.kernel)), pixel) * (of_rows(y) * of_columns(x));
  return op(inputs(I), outputs(O), "avg_pool2d_inside");  // (N, C, OH, OW)
}

/// The mean of each channel.
/// Shape: I (N, C, H, W) -> O (N, C)
template <std::floating_point T = float>
[[nodiscard]] auto global_average_pool(std::int64_t batch, std::int64_t channels, std::int64_t height,
                                       std::int64_t width) {
  auto const [n, c, y, x] = axes<"n", "c", "y", "x">;
  tensor<"I", T, 4> const I{{batch, channels, height, width}};  // (N, C, H, W)
  auto const O = compute<"O">(n, c) = sum(over(y, x), I(n, c, y, x)) * (1 / static_cast<double>(height * width));
  return op(inputs(I), outputs(O), "global_average_pool");  // (N, C)
}

}}}  // namespace ttune::v0::ops
