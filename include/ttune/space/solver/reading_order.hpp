// SPDX-License-Identifier: Apache-2.0
// The order in which the knobs of a component are read, on which the sizes of its automata and of its diagram depend.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns an order of knobs that leaves few constraints partly read, since only those make states. Greedy: the next
/// knob is the one that leaves the fewest constraints open; among equals the one mentioned most, since reading it
/// evaluates most terms; then the one with the most choices, which are cheapest where nodes are few. With
/// `largest_first` the first knob is the one with the most choices.
[[nodiscard]] inline std::vector<std::int32_t> reading_order(std::vector<std::int32_t> rest,
                                                             std::vector<knob> const& knobs,
                                                             std::vector<std::vector<std::int32_t>> const& scopes,
                                                             std::vector<std::int32_t> const& mentions,
                                                             bool largest_first) {
  std::vector<std::int32_t> order;
  std::vector<bool> read(knobs.size(), false);
  auto const open_after = [&](std::int32_t next) {
    read[static_cast<std::size_t>(next)] = true;
    auto const open = std::count_if(scopes.begin(), scopes.end(), [&](auto const& scope) {
      auto const done =
          std::count_if(scope.begin(), scope.end(), [&](auto k) { return read[static_cast<std::size_t>(k)]; });
      return done > 0 && done < static_cast<std::ptrdiff_t>(scope.size());
    });
    read[static_cast<std::size_t>(next)] = false;
    return open;
  };
  auto const cost = [&](std::int32_t number) {
    auto const k = static_cast<std::size_t>(number);
    bool const by_size = largest_first && order.empty();
    return std::tuple{by_size ? 0 : open_after(number), by_size ? 0 : -mentions[k], -knobs[k].choices()};
  };
  while (!rest.empty()) {
    auto const best = std::min_element(rest.begin(), rest.end(), [&](auto x, auto y) { return cost(x) < cost(y); });
    read[static_cast<std::size_t>(*best)] = true;
    order.push_back(*best);
    rest.erase(best);
  }
  return order;
}

}}}  // namespace ttune::v0::detail
