// SPDX-License-Identifier: Apache-2.0
// Dot-product instructions: each lane adds several products, or absolute differences, of narrow elements to a wider
// sum. Selects the method that suits a target.
#pragma once

#include <string_view>

#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 {

/// Methods of summing several terms per lane.
enum class dot_method : std::uint8_t {
  none,
  bytes,    ///< u8 x i8, four terms: vpdpbusd. Also i8 x i8: one operand is shifted by 128, and the sum is corrected
  words,    ///< 16-bit integers, two terms: pmaddwd. Bytes are widened first
  bfloats,  ///< two terms; flushes denormals, rounds each sum once: vdpbf16ps
  /// Pairs of bf16 are split by a shift and a mask: two f32 multiply-adds.
  split_bfloats,
  distances,  ///< |u8 - u8|, four terms; each lane begins one element later: vdbpsadbw
  own,        ///< an instruction that the application brings along
};

/// The operation that makes a term of two elements.
enum class dot_term : std::uint8_t { product, distance };

/// A method, and the number of terms that it sums per lane.
struct dot_product {
  dot_method how = dot_method::none;
  std::int32_t terms = 1;                    ///< terms per lane: adjacent elements in memory of both operands
  ir::own_instruction const* own = nullptr;  ///< dot_method::own; the target has it
  explicit operator bool() const noexcept { return how != dot_method::none; }

  /// Returns the distance, in elements, between the first terms of two adjacent lanes, for the operand that varies by
  /// lane.
  [[nodiscard]] std::int32_t lane_stride() const noexcept { return how == dot_method::distances ? 1 : terms; }
};

/// Returns the best method for sums of type `sum` over terms of elements of types `left` and `right`.
[[nodiscard]] inline dot_product find_dot_product(target const& machine, dot_term term, dtype left, dtype right,
                                                  dtype sum) {
  bool const wide = sum == dtype::i32 || sum == dtype::u32;
  if (term == dot_term::distance) {
    bool const fits = wide || sum == dtype::i16 || sum == dtype::u16;
    bool const served = machine.has_byte_distances && left == dtype::u8 && right == dtype::u8 && fits;
    return served ? dot_product{dot_method::distances, 4} : dot_product{};
  }
  auto const is_byte = [](dtype t) { return t == dtype::u8 || t == dtype::i8; };
  if (sum == dtype::f32 && left == dtype::bf16 && right == dtype::bf16)
    return {machine.has_bfloat_dot ? dot_method::bfloats : dot_method::split_bfloats, 2};
  if (!wide) return {};
  bool const bytes = is_byte(left) && is_byte(right);
  if (bytes && machine.has_byte_dot && (left == dtype::i8 || right == dtype::i8)) return {dot_method::bytes, 4};
  bool const words = left == dtype::i16 && right == dtype::i16;
  if ((bytes || words) && std::string_view(machine.triple).starts_with("x86_64")) return {dot_method::words, 2};
  return {};
}

}}  // namespace ttune::v0
