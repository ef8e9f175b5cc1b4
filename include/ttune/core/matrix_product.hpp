// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of one warp on NVIDIA GPUs: they add the product of two small matrices to a third one; the
// threads of a warp hold all three together. dot_product.hpp describes instructions that work per lane.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 {

/// One `mma.sync`: rows x terms times terms x columns. Lane 4 g + t of the warp holds the sums of rows g and g + 8 and
/// of columns 2 t and 2 t + 1. Of the operands it holds `halves` registers per row or column; each register contains
/// adjacent terms.
struct matrix_product {
  static constexpr std::int32_t rows = 16;
  static constexpr std::int32_t columns = 8;
  static constexpr std::int32_t lanes_of_rows = 8;
  static constexpr std::int32_t lanes_of_columns = 4;
  static constexpr std::int32_t thread_rows = rows / lanes_of_rows;           ///< rows whose sums one lane holds
  static constexpr std::int32_t thread_columns = columns / lanes_of_columns;  ///< columns whose sums one lane holds

  std::int32_t terms = 0;
  std::int32_t halves = 2;          ///< registers per row of the left operand
  std::int32_t least_architecture;  ///< lowest architecture: 80 for sm_80

  /// Returns the number of terms in one register.
  [[nodiscard]] std::int32_t together() const noexcept { return terms / (lanes_of_columns * halves); }
};

/// Returns the architecture of an NVIDIA GPU, 80 for sm_80; 0 for other targets.
[[nodiscard]] inline std::int32_t nvidia_architecture(target const& machine) noexcept {
  std::int32_t made = 0;
  if (machine.cpu.compare(0, 3, "sm_") != 0 || machine.cpu.size() > 7) return 0;
  for (std::size_t i = 3; i < machine.cpu.size(); ++i) {
    if (machine.cpu[i] < '0' || machine.cpu[i] > '9') return 0;
    made = 10 * made + (machine.cpu[i] - '0');
  }
  return made;
}

/// Returns the instruction for sums of type `sum` over products of elements of types `left` and `right`, independent of
/// the target; nothing if there is none. Elements of type f32 must be rounded to TF32 (core/tf32.hpp). Sums of floats
/// are rounded once per instruction, over all its terms, in an order that the hardware defines.
[[nodiscard]] inline std::optional<matrix_product> matrix_product_of(dtype left, dtype right, dtype sum,
                                                                     std::int32_t terms) {
  auto const is_byte = [](dtype t) { return t == dtype::u8 || t == dtype::i8; };
  if (sum == dtype::f32 && left == dtype::f16 && right == dtype::f16) {
    if (terms == 16) return matrix_product{16, 2, 80};
    if (terms == 8) return matrix_product{8, 1, 75};
  }
  if (sum == dtype::f32 && left == dtype::bf16 && right == dtype::bf16) {
    if (terms == 16) return matrix_product{16, 2, 80};
    if (terms == 8) return matrix_product{8, 1, 80};
  }
  if (sum == dtype::f32 && left == dtype::f32 && right == dtype::f32) {
    if (terms == 8) return matrix_product{8, 2, 80};
    if (terms == 4) return matrix_product{4, 1, 80};
  }
  if (sum == dtype::i32 && is_byte(left) && is_byte(right)) {
    if (terms == 32) return matrix_product{32, 2, 80};
    if (terms == 16) return matrix_product{16, 1, 80};
  }
  return std::nullopt;
}

}}  // namespace ttune::v0
