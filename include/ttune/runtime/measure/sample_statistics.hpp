// SPDX-License-Identifier: Apache-2.0
// Medians, spreads and confidence bounds of a small number of timings.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Returns a quantile, interpolated linearly between the sorted values; 0 if there are none.
[[nodiscard]] inline double quantile_of(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  auto const at = q * static_cast<double>(values.size() - 1);
  auto const i = static_cast<std::size_t>(at);
  auto const next = std::min(i + 1, values.size() - 1);
  return values[i] + (at - static_cast<double>(i)) * (values[next] - values[i]);
}
[[nodiscard]] inline double median_of(std::vector<double> values) { return quantile_of(std::move(values), 0.5); }

/// Returns (third quartile - first quartile) / median.
[[nodiscard]] inline double spread_of(std::vector<double> const& values) {
  auto const middle = median_of(values);
  return middle > 0 ? (quantile_of(values, 0.75) - quantile_of(values, 0.25)) / middle : 0;
}

/// Returns bounds that contain the true median with at least 95 % confidence for any distribution (inverted sign test);
/// (0, infinity) for fewer than six values.
[[nodiscard]] inline std::pair<double, double> median_bounds(std::vector<double> values) {
  auto const n = values.size();
  std::sort(values.begin(), values.end());
  double outside = 0;                                // P(Binomial(n, 1/2) < k)
  double term = std::exp2(-static_cast<double>(n));  // P(Binomial(n, 1/2) = k)
  std::size_t k = 0;
  while (k < n && outside + term <= 0.025) {
    outside += term;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  if (k == 0) return {0, std::numeric_limits<double>::infinity()};
  return {values[k - 1], values[n - k]};
}

}}  // namespace ttune::v0
