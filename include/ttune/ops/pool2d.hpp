// SPDX-License-Identifier: Apache-2.0
// Pooling of images, channels first: the maximum of a window, or the mean.
#pragma once

#include <limits>
#include <type_traits>

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

/// Average pooling: the mean of all taps; padding counts as zeros.
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

}}}  // namespace ttune::v0::ops
