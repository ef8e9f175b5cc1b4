// SPDX-License-Identifier: Apache-2.0
// The movement of a window along the spatial dimensions of an operand: strides, padding, dilation.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// A window along one dimension.
struct window_dimension {
  std::int64_t extent = 1;  ///< of the operand
  std::int64_t size = 1;    ///< taps
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t before = 0;  ///< padding
  std::int64_t after = 0;
  std::int64_t positions = 1;

  [[nodiscard]] std::int64_t reach() const noexcept { return (size - 1) * dilation + 1; }
  [[nodiscard]] expr element(expr const& position, expr const& tap) const {
    return position * stride + tap * dilation + ir::make_index(-before);
  }
  friend bool operator==(window_dimension const&, window_dimension const&) = default;
};

/// Returns a list attribute with one number per dimension, each in [low, 2^24).
[[nodiscard]] inline std::vector<std::int64_t> numbers_of_dimensions(onnx_context& to, char const* attribute,
                                                                     std::size_t count, std::int64_t otherwise,
                                                                     std::int64_t low) {
  auto made = to.node().integers(attribute, std::vector<std::int64_t>(count, otherwise));
  if (made.size() != count) to.refuse(std::string(attribute) + " has another number of entries than the operand needs");
  for (auto const one : made)
    if (one < low || one >= (std::int64_t{1} << 24)) to.refuse(std::string(attribute) + " has an unsuitable number");
  return made;
}

/// Sets padding and positions as ONNX' auto_pad wants it. With `ceil_mode`, a last window may reach over the end.
inline void settle_window(onnx_context& to, window_dimension& w, std::string const& auto_pad, bool ceil_mode) {
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    w.positions = (w.extent + w.stride - 1) / w.stride;
    auto const total = std::max<std::int64_t>((w.positions - 1) * w.stride + w.reach() - w.extent, 0);
    w.before = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
    w.after = total - w.before;
    return;
  }
  if (auto_pad == "VALID") w.before = w.after = 0;
  else if (auto_pad != "NOTSET") to.unsupported("auto_pad " + auto_pad);
  auto const room = w.extent + w.before + w.after - w.reach();
  to.check(room >= 0, "the window is larger than the padded operand");
  w.positions = (room + (ceil_mode ? w.stride - 1 : 0)) / w.stride + 1;
  // a last window that would begin in the padding behind the end is left out
  if (ceil_mode && (w.positions - 1) * w.stride >= w.extent + w.before) --w.positions;
}

/// Returns the windows of the dimensions behind the first two.
[[nodiscard]] inline std::vector<window_dimension> windows_of(onnx_context& to, std::vector<std::int64_t> const& shape,
                                                              std::vector<std::int64_t> const& sizes,
                                                              bool ceil_mode = false) {
  auto const count = sizes.size();
  to.check(count >= 1 && shape.size() == count + 2, "the operand has another number of dimensions than the window");
  auto const strides = numbers_of_dimensions(to, "strides", count, 1, 1);
  auto const dilations = numbers_of_dimensions(to, "dilations", count, 1, 1);
  auto const pads = numbers_of_dimensions(to, "pads", 2 * count, 0, 0);
  auto const auto_pad = to.node().string("auto_pad", "NOTSET");
  std::vector<window_dimension> made;
  for (std::size_t d = 0; d < count; ++d) {
    to.check(sizes[d] >= 1 && sizes[d] < (std::int64_t{1} << 24), "the window has an unsuitable size");
    window_dimension w{shape[d + 2], sizes[d], strides[d], dilations[d], pads[d], pads[d + count], 1};
    settle_window(to, w, auto_pad, ceil_mode);
    made.push_back(w);
  }
  return made;
}

/// Returns a shape: two extents, then the positions of the windows.
[[nodiscard]] inline std::vector<std::int64_t> shape_of_positions(std::int64_t first, std::int64_t second,
                                                                  std::vector<window_dimension> const& windows) {
  std::vector<std::int64_t> made{first, second};
  for (auto const& w : windows) made.push_back(w.positions);
  return made;
}

/// Returns true for images with square windows that move alike along both dimensions, with equal padding on all sides:
/// what the operators of the DSL compute.
[[nodiscard]] inline bool is_square(std::vector<window_dimension> const& windows) {
  if (windows.size() != 2) return false;
  auto const& a = windows[0];
  auto const& b = windows[1];
  return a.size == b.size && a.stride == b.stride && a.dilation == b.dilation && a.before == b.before &&
         a.before == a.after && b.before == b.after;
}

}}}  // namespace ttune::v0::onnx_convert
