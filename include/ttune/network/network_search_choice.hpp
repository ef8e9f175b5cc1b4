// SPDX-License-Identifier: Apache-2.0
// The cost of a kernel in the choice that a search makes for all operators (network_search.hpp).
#pragma once

#include <algorithm>
#include <vector>

#include "ttune/tune/compute_state.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the seconds of a call, with a price for each byte of the constants that it reads.
[[nodiscard]] inline double cost_of(compute_state const& one, double price) noexcept {
  return price > 0 ? one.seconds + price * static_cast<double>(one.constant_bytes) : one.seconds;
}

/// Returns the compute of least cost; there is at least one.
[[nodiscard]] inline compute_state cheapest(std::vector<compute_state> const& all, double price) {
  return *std::min_element(all.begin(), all.end(), [&](compute_state const& a, compute_state const& b) {
    return cost_of(a, price) < cost_of(b, price);
  });
}

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/network_search_choice.inl.hpp"
#endif
