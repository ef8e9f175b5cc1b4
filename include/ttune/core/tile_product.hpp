// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of x86-64 processors (AMX): they add the product of two tiles to a third one. A core has eight
// registers for tiles of up to 16 rows of 64 bytes. matrix_product.hpp describes the instructions of GPUs.
#pragma once

#include <cstdint>
#include <optional>

#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 {

/// One instruction: rows x terms times terms x columns. A row of the left tile has terms of one row of the result; a
/// row of the right tile has `together` terms of each column, one column after the other. Sums have 32 bits. An
/// instruction takes the same time for tiles with fewer rows.
struct tile_product {
  static constexpr std::int32_t rows = 16;
  static constexpr std::int32_t columns = 16;
  static constexpr std::int32_t row_bytes = 64;
  static constexpr std::int32_t registers = 8;

  std::int32_t together = 2;          ///< terms of a column that are neighbours: 2 of bf16, 4 of bytes
  char const* instruction = nullptr;  ///< "tdpbf16ps"

  /// Returns the most terms of one instruction.
  [[nodiscard]] std::int32_t most_terms() const noexcept { return columns * together; }
};

/// Returns the instruction for sums of type `sum` over products of elements of types `left` and `right`, independent of
/// the target; nothing if there is none. Sums of floats flush denormals, and are rounded after each two terms.
[[nodiscard]] inline std::optional<tile_product> tile_product_of(dtype left, dtype right, dtype sum) {
  if (sum == dtype::f32 && left == dtype::bf16 && right == dtype::bf16) return tile_product{2, "tdpbf16ps"};
  auto const is_byte = [](dtype t) { return t == dtype::u8 || t == dtype::i8; };
  if ((sum != dtype::i32 && sum != dtype::u32) || !is_byte(left) || !is_byte(right)) return std::nullopt;
  bool const first = left == dtype::u8;
  bool const second = right == dtype::u8;
  return tile_product{4, first ? (second ? "tdpbuud" : "tdpbusd") : (second ? "tdpbsud" : "tdpbssd")};
}

}}  // namespace ttune::v0
