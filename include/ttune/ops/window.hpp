// SPDX-License-Identifier: Apache-2.0
// A window that moves over an image along one or both dimensions; used by convolutions and pooling.
#pragma once

#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// A window that moves along one dimension.
struct window {
  std::int64_t size = 1;  ///< taps along a dimension
  std::int64_t stride = 1;
  std::int64_t padding = 0;   ///< zeros on each side
  std::int64_t dilation = 1;  ///< distance between taps

  /// Returns the number of window positions along `extent` elements.
  [[nodiscard]] std::int64_t positions(std::int64_t extent) const noexcept {
    return (extent + 2 * padding - dilation * (size - 1) - 1) / stride + 1;
  }
  /// Returns the index of the element under a tap at a position; both are expressions of axes.
  template <class Position, class Tap>
  [[nodiscard]] auto element(Position const& position, Tap const& tap) const {
    return position * stride + tap * dilation - padding;
  }
};

/// An image, and a window that moves over each channel separately.
struct window2d_shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t kernel = 1;  ///< height and width of the window
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;

  [[nodiscard]] ops::window window() const noexcept { return {kernel, stride, padding, dilation}; }
  [[nodiscard]] std::int64_t out_height() const noexcept { return window().positions(height); }
  [[nodiscard]] std::int64_t out_width() const noexcept { return window().positions(width); }
};

}}}  // namespace ttune::v0::ops
