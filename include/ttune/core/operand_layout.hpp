// SPDX-License-Identifier: Apache-2.0
// The order of an operand's dimensions in memory, for operands whose layout a kernel may choose (`layout::any`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// An order of the dimensions, outermost first. One dimension may be blocked: its quotient by the block size has a
/// place in the order, its remainder is innermost. Examples for (N, C, H, W):
///
///   operand_layout(4)                  (d0, d1, d2, d3)             plain
///   operand_layout({0, 2, 3, 1})       (d0, d2, d3, d1)             channels last
///   operand_layout({0, 1, 2, 3}, 1, 16)  (d0, d1/16, d2, d3, d1%16)  in blocks of 16 channels
class operand_layout {
 public:
  operand_layout() = default;
  /// Plain layout: the order in which the operand was declared.
  explicit operand_layout(int rank);
  /// Throws argument_error unless `order` contains each dimension once.
  explicit operand_layout(std::vector<int> order);
  /// Throws argument_error for a dimension that does not exist, or a block size below 2.
  operand_layout(std::vector<int> order, int blocked, std::int64_t block);

  [[nodiscard]] int rank() const noexcept { return static_cast<int>(order_.size()); }
  [[nodiscard]] std::vector<int> const& order() const noexcept { return order_; }
  [[nodiscard]] int blocked() const noexcept { return blocked_; }       ///< the blocked dimension, or -1
  [[nodiscard]] std::int64_t block() const noexcept { return block_; }  ///< block size; 1: no dimension is blocked
  [[nodiscard]] bool is_plain() const noexcept;
  /// Returns why an operand of this shape cannot have this layout; empty if it can.
  [[nodiscard]] std::string refusal(std::vector<std::int64_t> const& shape) const;
  /// Returns the extents in the order of memory. The layout must suit the shape.
  [[nodiscard]] std::vector<std::int64_t> in_memory(std::vector<std::int64_t> const& shape) const;
  /// Returns the declared extents for extents in the order of memory.
  [[nodiscard]] std::vector<std::int64_t> declared(std::vector<std::int64_t> const& memory) const;
  /// Returns a text such as "(d0, d1/16, d2, d3, d1%16)".
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

/// Returns the layout of an operand; null if it is not in the list.
[[nodiscard]] operand_layout const* find_layout(std::vector<named_layout> const& all, std::string const& operand);

/// Copies elements of `element_bytes` from the plain order of `shape` to a layout, and back. The memory must not
/// overlap.
void pack_elements(operand_layout const& to, std::vector<std::int64_t> const& shape, std::int64_t element_bytes,
                   void const* plain, void* packed);
void unpack_elements(operand_layout const& from, std::vector<std::int64_t> const& shape, std::int64_t element_bytes,
                     void const* packed, void* plain);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/core/operand_layout.inl.hpp"
#endif
