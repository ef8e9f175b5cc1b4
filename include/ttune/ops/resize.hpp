// SPDX-License-Identifier: Apache-2.0
// Images of another size, channels first.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/expr/tensor.hpp"
#include "ttune/ops/accumulate.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// The size of an image, and the size that it gets.
struct resize_shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t out_height = 1;
  std::int64_t out_width = 1;
};

/// Interpolates between the four nearest pixels; pixels have their centres at i + 1/2 ("half pixel" in ONNX), and those
/// at the edges continue the image. An image that shrinks by more than two is not smoothed. 16-bit floats are computed
/// in 32 bits. Shape: I (N, C, H, W) -> O (N, C, out_height, out_width)
template <class T = float>
[[nodiscard]] auto resize_bilinear(resize_shape const& s) {
  static_assert(is_float(dtype_of<T>()), "ttune: resize_bilinear needs floats");
  auto const [n, c, y, x] = axes<"n", "c", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};  // (N, C, H, W)
  using wide = accumulator_t<T>;
  // The place of centre i is ((2 i + 1) * size - out) / (2 out): a whole part, and a rest that is the weight.
  auto const place = [](auto const& i, std::int64_t size, std::int64_t out) { return i * (2 * size) + (size - out); };
  auto const weight = [&](auto const& i, std::int64_t size, std::int64_t out) {
    return cast<wide>(place(i, size, out) % (2 * out)) * (0.5 / static_cast<double>(out));
  };
  auto const row = place(y, s.height, s.out_height) / (2 * s.out_height);
  auto const column = place(x, s.width, s.out_width) / (2 * s.out_width);
  auto const pixel = [&](int down, int right) {
    return in_type<wide>(clamp_outside(I)(n, c, row + down, column + right));
  };
  auto const across = weight(x, s.width, s.out_width);
  auto const above = pixel(0, 0) + (pixel(0, 1) - pixel(0, 0)) * across;
  auto const below = pixel(1, 0) + (pixel(1, 1) - pixel(1, 0)) * across;
  auto const O = compute<"O">(n, c, y.in(s.out_height), x.in(s.out_width)) =
      in_type<T>(above + (below - above) * weight(y, s.height, s.out_height));
  return op(inputs(I), outputs(O), "resize_bilinear");  // (N, C, out_height, out_width)
}

}}}  // namespace ttune::v0::ops
