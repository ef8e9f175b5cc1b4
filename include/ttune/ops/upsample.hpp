// SPDX-License-Identifier: Apache-2.0
// Enlarges images by whole factors, channels first.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/expr/tensor.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// An image, and the factors of its height and width.
struct upsample_shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t rows = 2;     ///< output rows of each row
  std::int64_t columns = 2;  ///< output columns of each column
};

/// Repeats each pixel: the nearest neighbour.
/// Shape: I (N, C, H, W) -> O (N, C, H rows, W columns)
template <class T = float>
[[nodiscard]] auto upsample_nearest(upsample_shape const& s) {
  auto const [n, c, y, x] = axes<"n", "c", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};  // (N, C, H, W)
  auto const O = compute<"O">(n, c, y.in(s.height * s.rows), x.in(s.width * s.columns)) =
      I(n, c, y / s.rows, x / s.columns);
  return op(inputs(I), outputs(O), "upsample_nearest");  // (N, C, H rows, W columns)
}

}}}  // namespace ttune::v0::ops
