// SPDX-License-Identifier: Apache-2.0
// Tensors one after the other along a dimension, however many they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/network/graph.hpp"

namespace ttune { inline namespace v0 {

/// Returns the program that puts tensors of a type one after the other along a dimension. Throws program_error unless
/// all other extents are equal.
[[nodiscard]] handle<ir::program> join_program(dtype type, std::vector<std::vector<std::int64_t>> const& shapes,
                                               std::size_t along);

/// Adds the operators that join tensors of a network, and returns the joined one. Throws program_error as
/// `join_program` does.
[[nodiscard]] std::size_t join_tensors(network_graph& net, std::vector<std::size_t> const& parts, std::size_t along);

namespace detail {

/// Returns `join(parts)`. One kernel takes only some parts; more are joined in groups first.
template <class Value, class Join>
[[nodiscard]] Value joined_in_groups(std::vector<Value> parts, Join const& join) {
  constexpr std::size_t most_parts = 32;
  while (parts.size() > 1) {
    std::vector<Value> groups;
    for (std::size_t first = 0; first < parts.size(); first += most_parts) {
      auto const last = std::min(first + most_parts, parts.size());
      std::vector<Value> const group(parts.begin() + static_cast<std::ptrdiff_t>(first),
                                     parts.begin() + static_cast<std::ptrdiff_t>(last));
      groups.push_back(group.size() == 1 ? group.front() : join(group));
    }
    parts = std::move(groups);
  }
  return parts.front();
}

}  // namespace detail

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/join_tensors.inl.hpp"
#endif
