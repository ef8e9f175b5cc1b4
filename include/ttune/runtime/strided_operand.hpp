// SPDX-License-Identifier: Apache-2.0
// An operand whose strides calls give: where its elements lie in memory, and which strides trials use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 {

/// Returns the strides of an operand without gaps, in elements, outermost dimension first.
[[nodiscard]] inline std::vector<std::int64_t> dense_strides(std::vector<std::int64_t> const& shape) {
  std::vector<std::int64_t> made(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) made[d - 1] = made[d] * shape[d];
  return made;
}

/// Returns the strides with which trials measure an operand and check it: those of a part of a larger tensor. Rows of a
/// cache line or more begin on cache lines, with a line between them.
[[nodiscard]] inline std::vector<std::int64_t> trial_strides(operand_info const& operand) {
  auto made = dense_strides(operand.shape);
  if (operand.strides == operand_strides::dense || made.empty()) return made;
  made.back() = operand.strides == operand_strides::all ? 2 : 1;
  auto const line = 64 / static_cast<std::int64_t>(size_in_bytes(operand.type));
  bool const has_lines = operand.shape.back() >= line;
  for (std::size_t d = made.size(); d-- > 1;) {
    auto const below = made[d] * operand.shape[d];
    made[d - 1] = has_lines ? (below + line - 1) / line * line + line : below + 1;
  }
  return made;
}

/// Returns the content of the operand with the strides of trials.
[[nodiscard]] inline std::vector<std::uint8_t> content_of_strides(kernel_signature const& signature) {
  std::vector<std::int64_t> all;
  for (auto const& o : signature.operands) {
    auto const own = trial_strides(o);
    if (o.strides != operand_strides::dense) all.insert(all.end(), own.begin(), own.end());
  }
  std::vector<std::uint8_t> made(all.size() * sizeof(std::int64_t));
  if (!all.empty()) std::memcpy(made.data(), all.data(), made.size());
  return made;
}

/// Returns the content of the operand with the extents of the call.
[[nodiscard]] inline std::vector<std::uint8_t> content_of_extents(kernel_signature const& signature) {
  auto const all = extents_of(signature);
  std::vector<std::uint8_t> made(all.size() * sizeof(std::int64_t));
  if (!all.empty()) std::memcpy(made.data(), all.data(), made.size());
  return made;
}

/// Fills the memory between elements in trials: a kernel must not write there.
inline constexpr std::uint8_t gap_byte = 0xC3;

/// The elements of an operand in memory. Strides are not negative.
class strided_operand {
 public:
  strided_operand() = default;
  strided_operand(operand_info const& operand, std::vector<std::int64_t> strides)
      : shape_(operand.shape), strides_(std::move(strides)), element_bytes_(size_in_bytes(operand.type)) {
    last_ = 0;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      if (shape_[d] == 0) last_ = -1;
      if (last_ >= 0) last_ += (shape_[d] - 1) * strides_[d];
    }
  }

  /// Returns the bytes from the first element to the end of the last one.
  [[nodiscard]] std::int64_t bytes() const noexcept { return (last_ + 1) * static_cast<std::int64_t>(element_bytes_); }

  /// Returns memory of an operand with these elements, and with gap_byte between them.
  [[nodiscard]] std::vector<std::uint8_t> with_gaps(std::span<std::uint8_t const> dense) const {
    std::vector<std::uint8_t> made(static_cast<std::size_t>(bytes()), gap_byte);
    scatter(dense, made.data());
    return made;
  }
  /// Copies elements that have no gaps to their places; what lies between them is not written.
  void scatter(std::span<std::uint8_t const> dense, std::uint8_t* to) const {
    for_each_row([&](std::int64_t from_element, std::int64_t place, std::int64_t elements, std::int64_t step) {
      auto const* from = dense.data() + static_cast<std::size_t>(from_element) * element_bytes_;
      for (std::int64_t i = 0; i < elements; ++i)
        std::memcpy(at(to, place + i * step), from + static_cast<std::size_t>(i) * element_bytes_, element_bytes_);
    });
  }
  /// Returns the elements without gaps.
  [[nodiscard]] std::vector<std::uint8_t> gather(std::uint8_t const* from) const {
    std::int64_t elements = 1;
    for (auto const e : shape_) elements *= e;
    std::vector<std::uint8_t> made(static_cast<std::size_t>(elements) * element_bytes_);
    for_each_row([&](std::int64_t to_element, std::int64_t place, std::int64_t count, std::int64_t step) {
      auto* to = made.data() + static_cast<std::size_t>(to_element) * element_bytes_;
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(to + static_cast<std::size_t>(i) * element_bytes_, at(from, place + i * step), element_bytes_);
    });
    return made;
  }

 private:
  template <class Byte>
  [[nodiscard]] Byte* at(Byte* base, std::int64_t place) const noexcept {
    return base + static_cast<std::size_t>(place) * element_bytes_;
  }
  /// Calls `row(first element, its place, elements, distance of their places)` for each row of the last dimension.
  template <class Row>
  void for_each_row(Row const& row) const {
    if (last_ < 0) return;
    if (shape_.empty()) return row(0, 0, 1, 1);
    std::vector<std::int64_t> index(shape_.size(), 0);
    auto const length = shape_.back();
    for (std::int64_t element = 0;; element += length) {
      std::int64_t place = 0;
      for (std::size_t d = 0; d + 1 < shape_.size(); ++d) place += index[d] * strides_[d];
      row(element, place, length, strides_.back());
      std::size_t d = shape_.size() - 1;
      while (d > 0 && ++index[d - 1] == shape_[d - 1]) index[--d] = 0;
      if (d == 0) return;
    }
  }

  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  std::size_t element_bytes_ = 1;
  std::int64_t last_ = -1;  ///< place of the last element; -1: there is none
};

}}  // namespace ttune::v0
