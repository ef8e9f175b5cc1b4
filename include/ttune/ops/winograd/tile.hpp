// SPDX-License-Identifier: Apache-2.0
// The tiling of an image for a Winograd convolution, with the tilings of both dimensions, the expected error, and the
// name.
#pragma once

#include <optional>
#include <string>

#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/winograd/tiling.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// A tiling of the image.
struct winograd_tile {
  std::int64_t outputs = 4;  ///< outputs of a tile along both dimensions
  /// Empty: `winograd_points`.
  std::optional<std::vector<double>> points = {};
  std::int64_t columns = 0;    ///< outputs of a tile along rows; 0: as many as along columns
  bool smaller_last = true;    ///< the last tile has only the remaining outputs; else it overhangs
  bool one_dimension = false;  ///< only the columns of the image are tiled; rows are summed directly
};

namespace detail {

[[nodiscard]] inline winograd_tiling tiling_of(conv2d_shape const& s, winograd_tile const& how, std::int64_t extent,
                                               std::int64_t outputs) {
  auto const m = std::clamp<std::int64_t>(outputs, 1, std::max<std::int64_t>(extent, 1));
  auto const taps = ceil_divide(s.kernel, s.stride);
  return winograd_tiling(
      {extent, s.kernel, s.stride, m, how.smaller_last, how.points ? *how.points : winograd_points(m, taps, s.stride)});
}
[[nodiscard]] inline winograd_tiling tiling_of_rows(conv2d_shape const& s, winograd_tile const& how) {
  return tiling_of(s, how, s.out_height(), how.outputs);
}
[[nodiscard]] inline winograd_tiling tiling_of_columns(conv2d_shape const& s, winograd_tile const& how) {
  return tiling_of(s, how, s.out_width(), how.columns == 0 ? how.outputs : how.columns);
}

/// Returns the expected error, relative to the direct sum.
[[nodiscard]] inline double error_of(conv2d_shape const& s, winograd_tile const& how) {
  if (how.one_dimension) return winograd_error(tiling_of_rows(s, how), s.channels * s.kernel);
  return winograd_error(tiling_of_rows(s, how), tiling_of_columns(s, how));
}

[[nodiscard]] inline std::string name_of(winograd_tile const& how) {
  auto const rows = "winograd_" + std::to_string(how.outputs);
  return how.one_dimension ? rows : rows + "x" + std::to_string(how.columns == 0 ? how.outputs : how.columns);
}

}  // namespace detail

}}}  // namespace ttune::v0::ops
