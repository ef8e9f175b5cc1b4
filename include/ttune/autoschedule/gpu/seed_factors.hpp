// SPDX-License-Identifier: Apache-2.0
// The factors that are offered for an axis of a GPU kernel, and those of the seed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "ttune/space/factors.hpp"
#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns exact factors for short axes, such as windows, and for axes with enough divisors. An edge within a tile
/// would be a condition at each of its sums.
[[nodiscard]] inline factor_policy policy_of(std::int64_t extent) {
  constexpr std::int64_t whole = 8;
  if (extent <= whole) return factor_policy::exact;
  int divisors = 0;
  for (std::int64_t d = 1; d * d <= extent; ++d) divisors += extent % d == 0 ? (d * d == extent ? 1 : 2) : 0;
  return divisors >= 4 ? factor_policy::exact : factor_policy::powers_of_two;
}

/// Returns the choice with the nearest inner parts, by ratios. The first number is ignored.
[[nodiscard]] inline std::int32_t nearest_factors(knob const& k, std::vector<std::int64_t> const& wanted) {
  std::int32_t best = 0;
  double least = 1e300;
  for (std::int32_t c = 0; c < k.choices(); ++c) {
    double distance = 0;
    for (std::size_t p = 1; p < wanted.size(); ++p)
      distance += std::abs(std::log(static_cast<double>(k.choice(c)[p]) / static_cast<double>(wanted[p])));
    if (distance < least) least = distance, best = c;
  }
  return best;
}

}}}  // namespace ttune::v0::autoschedule
