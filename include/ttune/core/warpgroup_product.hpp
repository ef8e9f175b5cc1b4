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
/// Operands consist of core matrices of 8 x 8 elements of 2 bytes, 128 bytes each. The contiguous elements of a core
/// matrix are terms or rows for the left operand, terms or columns for the right one. A descriptor contains the
/// distance between core matrices in both directions ("Strides", no swizzling).
struct warpgroup_product {
  /// Entry in `target::features` of machines whose derived spaces use this instruction; otherwise single warps compute
  /// such products.
  static constexpr char const* feature = "+wgmma";
  static constexpr std::int32_t architecture = 90;
  static constexpr std::int32_t threads = 128;
  static constexpr std::int32_t warps = 4;
  static constexpr std::int32_t rows = 64;
  static constexpr std::int32_t terms = 16;
  static constexpr std::int32_t core = 8;  ///< rows, columns or terms of a core matrix
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
