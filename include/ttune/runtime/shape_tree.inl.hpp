// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/runtime/shape_tree.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::string shape_tree::text_of(std::int32_t at, std::vector<std::string> const& names) const {
  auto const& n = nodes_[static_cast<std::size_t>(at)];
  if (n.is_leaf()) return std::to_string(n.below);
  std::string what;
  for (auto const place : n.what.of)
    if (place != extent_product::none) what += (what.empty() ? "" : " * ") + names[static_cast<std::size_t>(place)];
  auto const& below = nodes_[static_cast<std::size_t>(n.below)];
  auto const left = text_of(n.below, names);
  return what + " <= " + std::to_string(n.most) + " ? " + (below.is_leaf() ? left : "(" + left + ")") + " : " +
         text_of(n.above, names);
}

}}}  // namespace ttune::v0::detail
