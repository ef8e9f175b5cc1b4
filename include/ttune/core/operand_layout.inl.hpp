// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "ttune/core/operand_layout.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline std::vector<int> declared_order(int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Calls `f(offset in the layout, offset in the plain order)` for each element, in the order of the layout.
template <class Function>
void for_each_element(operand_layout const& l, std::vector<std::int64_t> const& shape, Function const& f) {
  auto const memory = l.in_memory(shape);
  std::vector<std::int64_t> plain(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) plain[d - 1] = plain[d] * shape[d];
  std::vector<std::int64_t> strides;  // strides in the plain order, for the extents in memory
  for (auto const d : l.order())
    strides.push_back(plain[static_cast<std::size_t>(d)] * (d == l.blocked() ? l.block() : 1));
  if (l.blocked() >= 0) strides.push_back(plain[static_cast<std::size_t>(l.blocked())]);
  std::int64_t elements = 1;
  for (auto const e : memory) elements *= e;
  if (elements == 0) return;
  std::vector<std::int64_t> at(memory.size(), 0);
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < elements; ++i) {
    f(i, offset);
    for (std::size_t d = memory.size(); d-- > 0;) {
      offset += strides[d];
      if (++at[d] < memory[d]) break;
      offset -= strides[d] * memory[d];
      at[d] = 0;
    }
  }
}

}  // namespace detail

operand_layout::operand_layout(int rank) : order_(detail::declared_order(rank)) {}

operand_layout::operand_layout(std::vector<int> order) : order_(std::move(order)) {
  auto sorted = order_;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != detail::declared_order(rank()))
    throw argument_error("a layout of " + std::to_string(rank()) + " dimensions has each of them once");
}

operand_layout::operand_layout(std::vector<int> order, int blocked, std::int64_t block)
    : operand_layout(std::move(order)) {
  if (blocked < 0 || blocked >= rank())
    throw argument_error("a layout of " + std::to_string(rank()) + " dimensions has no dimension " +
                         std::to_string(blocked));
  if (block < 2) throw argument_error("a layout has blocks of 2 elements at least, not of " + std::to_string(block));
  blocked_ = blocked;
  block_ = block;
}

bool operand_layout::is_plain() const noexcept { return blocked_ < 0 && std::is_sorted(order_.begin(), order_.end()); }

std::string operand_layout::refusal(std::vector<std::int64_t> const& shape) const {
  if (shape.size() != order_.size())
    return "it is of " + std::to_string(order_.size()) + " dimensions, the operand of " + std::to_string(shape.size());
  if (blocked_ >= 0 && shape[static_cast<std::size_t>(blocked_)] % block_ != 0)
    return std::to_string(block_) + " does not divide " + std::to_string(shape[static_cast<std::size_t>(blocked_)]);
  return {};
}

std::vector<std::int64_t> operand_layout::in_memory(std::vector<std::int64_t> const& shape) const {
  std::vector<std::int64_t> made;
  for (auto const d : order_) made.push_back(shape[static_cast<std::size_t>(d)] / (d == blocked_ ? block_ : 1));
  if (blocked_ >= 0) made.push_back(block_);
  return made;
}

std::vector<std::int64_t> operand_layout::declared(std::vector<std::int64_t> const& memory) const {
  std::vector<std::int64_t> made(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i)
    made[static_cast<std::size_t>(order_[i])] = memory[i] * (order_[i] == blocked_ ? block_ : 1);
  return made;
}

std::string operand_layout::text() const {
  std::string made;
  auto const add = [&](std::string const& part) { made += (made.empty() ? "" : ", ") + part; };
  for (auto const d : order_)
    add("d" + std::to_string(d) + (d == blocked_ ? "/" + std::to_string(block_) : std::string()));
  if (blocked_ >= 0) add("d" + std::to_string(blocked_) + "%" + std::to_string(block_));
  return "(" + made + ")";
}

operand_layout const* find_layout(std::vector<named_layout> const& all, std::string const& operand) {
  auto const at = std::find_if(all.begin(), all.end(), [&](auto const& l) { return l.operand == operand; });
  return at == all.end() ? nullptr : &at->layout;
}

void pack_elements(operand_layout const& to, std::vector<std::int64_t> const& shape, std::int64_t element_bytes,
                   void const* plain, void* packed) {
  detail::for_each_element(to, shape, [&](std::int64_t in_layout, std::int64_t in_plain) {
    std::memcpy(static_cast<char*>(packed) + in_layout * element_bytes,
                static_cast<char const*>(plain) + in_plain * element_bytes, static_cast<std::size_t>(element_bytes));
  });
}

void unpack_elements(operand_layout const& from, std::vector<std::int64_t> const& shape, std::int64_t element_bytes,
                     void const* packed, void* plain) {
  detail::for_each_element(from, shape, [&](std::int64_t in_layout, std::int64_t in_plain) {
    std::memcpy(static_cast<char*>(plain) + in_plain * element_bytes,
                static_cast<char const*>(packed) + in_layout * element_bytes, static_cast<std::size_t>(element_bytes));
  });
}

}}  // namespace ttune::v0
