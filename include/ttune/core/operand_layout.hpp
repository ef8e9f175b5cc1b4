// SPDX-License-Identifier: Apache-2.0
// How the dimensions of an operand lie in memory, for operands whose layout a kernel may choose (`layout::any`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune::inline v0 {

/// An order of the dimensions, outermost first, in which one of them may be split: its quotient by the block stands in
/// the order, its remainder is innermost. Of a (N, C, H, W):
///
///   operand_layout(4)                  (d0, d1, d2, d3)             plain
///   operand_layout({0, 2, 3, 1})       (d0, d2, d3, d1)             channels last
///   operand_layout({0, 1, 2, 3}, 1, 16)  (d0, d1/16, d2, d3, d1%16)  in blocks of 16 channels
class operand_layout {
 public:
  operand_layout() = default;
  /// Plain: as the operand was declared.
  explicit operand_layout(int rank);
  /// Throws argument_error unless `order` has each dimension once.
  explicit operand_layout(std::vector<int> order);
  /// Throws argument_error for a dimension that is not there, or a block less than 2.
  operand_layout(std::vector<int> order, int blocked, std::int64_t block);

  [[nodiscard]] int rank() const noexcept { return static_cast<int>(order_.size()); }
  [[nodiscard]] std::vector<int> const& order() const noexcept { return order_; }
  [[nodiscard]] int blocked() const noexcept { return blocked_; }       ///< the dimension that is split, or -1
  [[nodiscard]] std::int64_t block() const noexcept { return block_; }  ///< 1: nothing is split
  [[nodiscard]] bool is_plain() const noexcept;
  /// Why an operand of this shape cannot lie so; empty: it can.
  [[nodiscard]] std::string refusal(std::vector<std::int64_t> const& shape) const;
  /// Extents in the order of memory. Requires a shape that it fits.
  [[nodiscard]] std::vector<std::int64_t> in_memory(std::vector<std::int64_t> const& shape) const;
  /// The operand's extents again.
  [[nodiscard]] std::vector<std::int64_t> declared(std::vector<std::int64_t> const& memory) const;
  /// As "(d0, d1/16, d2, d3, d1%16)"
  [[nodiscard]] std::string text() const;

  friend bool operator==(operand_layout const&, operand_layout const&) = default;

 private:
  std::vector<int> order_;
  int blocked_ = -1;
  std::int64_t block_ = 1;
};

/// The layout of an operand, by name.
struct named_layout {
  std::string operand;
  operand_layout layout;
  friend bool operator==(named_layout const&, named_layout const&) = default;
};

/// Null if the operand is not among them.
[[nodiscard]] operand_layout const* find_layout(std::vector<named_layout> const& all, std::string const& operand);

/// Moves elements of `element_bytes` from the plain order of `shape` into a layout, and back. The memory does not
/// overlap.
void pack_elements(operand_layout const& to, std::vector<std::int64_t> const& shape, std::int64_t element_bytes,
                   void const* plain, void* packed);
void unpack_elements(operand_layout const& from, std::vector<std::int64_t> const& shape, std::int64_t element_bytes,
                     void const* packed, void* plain);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/core/operand_layout.inl.hpp"
#endif
