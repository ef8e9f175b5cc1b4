// SPDX-License-Identifier: Apache-2.0
// Block matching: differences between blocks of an image and another image, at all displacements within a window.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Shape of a block matching: the blocks, and the displacements.
struct block_matching_shape {
  std::int64_t rows = 1;     ///< number of rows of blocks
  std::int64_t columns = 1;  ///< number of columns of blocks
  std::int64_t size = 16;    ///< height and width of a block
  std::int64_t window = 32;  ///< number of displacements along each dimension

  /// Height and width of the searched image.
  [[nodiscard]] std::int64_t search_height() const noexcept { return rows * size + window - 1; }
  [[nodiscard]] std::int64_t search_width() const noexcept { return columns * size + window - 1; }
};

/// Sums of absolute differences of bytes. `Sum` is the accumulator type: unsigned 16 bits hold the sums of blocks up to
/// 16 x 16 and are the fastest. Throws argument_error if `Sum` is too small for this shape.
///
/// Shape: C (rows size, columns size), R (rows size + window - 1, columns size + window - 1)
///        -> S (rows, columns, window, window)
template <class Sum = std::uint16_t>
[[nodiscard]] auto block_differences(block_matching_shape const& s) {
  if (s.size * s.size * 255 > static_cast<std::int64_t>(std::numeric_limits<Sum>::max()))
    throw argument_error("block_differences: differences of blocks of " + std::to_string(s.size) + " x " +
                         std::to_string(s.size) + " bytes do not fit the type of their sum; name a wider one");
  auto const [a, b, v, u, y, x] = axes<"a", "b", "v", "u", "y", "x">;
  tensor<"C", std::uint8_t, 2> const C{{s.rows * s.size, s.columns * s.size}};  // (rows size, columns size)
  tensor<"R", std::uint8_t, 2> const R{{s.search_height(), s.search_width()}};
  auto const pixel = cast<std::int16_t>(C(a * s.size + y, b * s.size + x));
  auto const other = cast<std::int16_t>(R(a * s.size + y + v, b * s.size + x + u));
  auto const apart = cast<Sum>(abs(pixel - other));
  auto const S = compute<"S">(a.in(s.rows), b.in(s.columns), v.in(s.window), u.in(s.window)) =
      cast<std::int32_t>(sum(over(y.in(s.size), x.in(s.size)), apart));
  return op(inputs(C, R), outputs(S), "block_differences");  // (rows, columns, window, window)
}

}}}  // namespace ttune::v0::ops
