// SPDX-License-Identifier: Apache-2.0
// Instructions that add the product of two small matrices to a third one, which the threads of a warp hold together:
// which an NVIDIA GPU has. What a single lane adds is in dot_product.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ttune/core/target.hpp"

namespace ttune::inline v0 {

/// One `mma.sync`: rows x terms times terms x columns. Lane 4 g + t of the warp holds the sums of rows g and g + 8 and
/// of columns 2 t and 2 t + 1; of the operands it holds `halves` registers a row or column, each of neighbouring terms.
struct matrix_product {
  static constexpr std::int32_t rows = 16;
  static constexpr std::int32_t columns = 8;
  static constexpr std::int32_t lanes_of_rows = 8;
  static constexpr std::int32_t lanes_of_columns = 4;
  static constexpr std::int32_t thread_rows = rows / lanes_of_rows;           ///< whose sums one lane holds
  static constexpr std::int32_t thread_columns = columns / lanes_of_columns;  ///< likewise

  std::int32_t terms = 0;
  std::int32_t halves = 2;          ///< registers of a row of the left operand
  std::int32_t least_architecture;  ///< 80: sm_80

  /// Terms in one register.
  [[nodiscard]] std::int32_t together() const noexcept { return terms / (lanes_of_columns * halves); }
};

/// Of an NVIDIA GPU: 80 for sm_80. 0: the target is none.
[[nodiscard]] inline std::int32_t nvidia_architecture(target const& machine) noexcept {
  std::int32_t made = 0;
  if (machine.cpu.compare(0, 3, "sm_") != 0 || machine.cpu.size() > 7) return 0;
  for (std::size_t i = 3; i < machine.cpu.size(); ++i) {
    if (machine.cpu[i] < '0' || machine.cpu[i] > '9') return 0;
    made = 10 * made + (machine.cpu[i] - '0');
  }
  return made;
}

/// The instruction for sums in type `sum` of products of elements of two types, whatever the machine is; nothing if
/// there is none. Elements of f32 are those of f32 rounded to TF32 (core/tf32.hpp). Sums of floats are rounded once a
/// product of all terms, in an order of the machine's own.
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

}  // namespace ttune::inline v0
