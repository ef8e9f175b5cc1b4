// SPDX-License-Identifier: Apache-2.0
// Asynchronous matrix products that four warps compute together from shared memory: `wgmma`, which only NVIDIA's sm_90
// has. Lists the available types, the owners of the results, and the layout of the operands. Sections are those of the
// PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". matrix_product.hpp describes the
// instructions of one warp on registers.
#pragma once

#include <cstdint>

#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 {

/// One `wgmma.mma_async`: 64 rows x 16 terms times 16 terms x up to 256 columns. Thread 32 w + 4 g + t holds the sums
/// of rows 16 w + g and 16 w + g + 8, and in every 8 columns those of 2 t and 2 t + 1 ("Register Fragments and Shared
/// Memory Matrix Layouts", accumulator D).
///
/// Operands lie in shared memory in lines of 128 bytes, 64 elements of 2 bytes each ("Shared Memory Matrix Layout",
/// 128-byte swizzle):
///
///   terms are neighbours (K-major)    line r holds 64 terms of row r of the left, or of column r of the right operand
///   rows or columns are (MN-major)    line k holds 64 rows (columns) of term k; the next 64 rows are in other lines
///
/// Eight lines, of eight rows or of eight terms, begin at a multiple of 1024 bytes. Chunk c of 16 bytes of line i is at
/// place c ^ i % 8 of the line, as schedule/primitive/swizzle.hpp stores it.
struct warpgroup_product {
  /// Entry in `target::features` of machines whose derived spaces use this instruction; otherwise single warps compute
  /// such products.
  static constexpr char const* feature = "+wgmma";
  static constexpr std::int32_t architecture = 90;
  static constexpr std::int32_t threads = 128;
  static constexpr std::int32_t warps = 4;
  static constexpr std::int32_t rows = 64;
  static constexpr std::int32_t terms = 16;
  static constexpr std::int32_t core = 8;                ///< rows or columns after which the lanes of a warp repeat
  static constexpr std::int32_t line = 64;               ///< elements of a line
  static constexpr std::int32_t eight_lines = 8 * line;  ///< elements after which the order of chunks repeats
  static constexpr std::int32_t aligned_bytes = 1024;    ///< alignment of eight lines, so of buffers
  static constexpr std::int32_t most_columns = 256;
  static constexpr std::int32_t lanes_of_rows = 8;
  static constexpr std::int32_t lanes_of_columns = 4;
  static constexpr std::int32_t thread_rows = 2;     ///< rows whose sums one thread holds, 8 apart
  static constexpr std::int32_t thread_columns = 2;  ///< adjacent columns whose sums one thread holds, in every 8
};

/// Returns true if there is an instruction for sums of type `sum` over products of elements of types `left` and
/// `right`, independent of the target. Sums of floats are rounded in an order that the hardware defines.
[[nodiscard]] constexpr bool has_warpgroup_product(dtype left, dtype right, dtype sum) noexcept {
  return left == right && (left == dtype::f16 || left == dtype::bf16) && sum == dtype::f32;
}

}}  // namespace ttune::v0
