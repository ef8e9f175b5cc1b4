// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/tune/effort.hpp"

namespace ttune { inline namespace v0 {

level_limits limits_of(effort_level level, double configurations, double seconds_of_call) {
  constexpr double least_bits = 8;
  auto const bits = std::max(least_bits, std::log2(std::max(1.0, configurations)));
  auto const times = [&](double factor) { return static_cast<std::int64_t>(std::ceil(factor * bits)); };
  switch (level) {
    case effort_level::estimate: return {0, 0, 0};
    case effort_level::measure: return {times(4), times(2), 10 + 500 * seconds_of_call};
    case effort_level::patient: return {times(32), times(8), 120 + 10'000 * seconds_of_call};
    case effort_level::none:
    case effort_level::exhaustive: break;
  }
  return {level_limits::unlimited, times(64)};
}

std::int64_t network_trials_of(effort_level level) noexcept {
  switch (level) {
    case effort_level::estimate: return 0;
    case effort_level::measure: return 64;
    case effort_level::patient: return 512;
    case effort_level::none:
    case effort_level::exhaustive: break;
  }
  return 4096;
}

}}  // namespace ttune::v0
