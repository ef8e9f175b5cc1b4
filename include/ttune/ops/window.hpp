// SPDX-License-Identifier: Apache-2.0
// How a window moves over an image, along either of its dimensions: convolutions and pooling share it.
#pragma once

#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune::inline v0::ops {

struct window {
  std::int64_t size = 1;  ///< taps along a dimension
  std::int64_t stride = 1;
  std::int64_t padding = 0;   ///< on each side
  std::int64_t dilation = 1;  ///< from one tap to the next

  /// How many positions it has along `extent` elements.
  [[nodiscard]] std::int64_t positions(std::int64_t extent) const noexcept {
    return (extent + 2 * padding - dilation * (size - 1) - 1) / stride + 1;
  }
  /// The element under a tap at a position, of axes.
  template <class Position, class Tap>
  [[nodiscard]] auto element(Position const& position, Tap const& tap) const {
    return position * stride + tap * dilation - padding;
  }
};

/// An image and a window that moves over each of its channels alone.
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

}  // namespace ttune::inline v0::ops
