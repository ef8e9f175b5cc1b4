// SPDX-License-Identifier: Apache-2.0
// Products of matrices that four warps compute together from shared memory, while they go on: `wgmma` of NVIDIA's
// sm_90 and of nothing else. Which there are, who holds what, and how operands lie. Sections are those of the PTX ISA,
// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". What one warp computes from registers is in
// matrix_product.hpp.
#pragma once

#include <cstdint>

#include "ttune/core/dtype.hpp"

namespace ttune::inline v0 {

/// One `wgmma.mma_async`: 64 rows x 16 terms times 16 terms x up to 256 columns. Thread 32 w + 4 g + t holds the sums
/// of rows 16 w + g and 16 w + g + 8, and in every 8 columns those of 2 t and 2 t + 1 ("Register Fragments and Shared
/// Memory Matrix Layouts", accumulator D).
///
/// Operands consist of cores of 8 x 8 elements of 2 bytes, 128 bytes each. What lies side by side in a core of the left
/// operand are terms or rows, of the right one terms or columns; a descriptor says how far one core is from the next in
/// both directions ("Strides", no swizzling).
struct warpgroup_product {
  /// In `target::features` of a machine whose derived spaces use it; without, they leave such products to single warps.
  static constexpr char const* feature = "+wgmma";
  static constexpr std::int32_t architecture = 90;
  static constexpr std::int32_t threads = 128;
  static constexpr std::int32_t warps = 4;
  static constexpr std::int32_t rows = 64;
  static constexpr std::int32_t terms = 16;
  static constexpr std::int32_t core = 8;  ///< rows, columns or terms of a core
  static constexpr std::int32_t most_columns = 256;
  static constexpr std::int32_t lanes_of_rows = 8;
  static constexpr std::int32_t lanes_of_columns = 4;
  static constexpr std::int32_t thread_rows = 2;     ///< 8 apart, whose sums one thread holds
  static constexpr std::int32_t thread_columns = 2;  ///< side by side, of every 8
};

/// Whether there is one for sums in type `sum` of products of elements of two types, whatever the machine is. Sums of
/// floats are rounded in an order of the machine's own.
[[nodiscard]] constexpr bool has_warpgroup_product(dtype left, dtype right, dtype sum) noexcept {
  return left == right && (left == dtype::f16 || left == dtype::bf16) && sum == dtype::f32;
}

}  // namespace ttune::inline v0
