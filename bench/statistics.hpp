// SPDX-License-Identifier: Apache-2.0
// Statistics of a few samples.
#pragma once

#include <cmath>
#include <vector>

namespace ttune_bench {

[[nodiscard]] inline double mean(std::vector<double> const& values) {
  double sum = 0;
  for (auto const v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Returns the standard deviation of the sample; 0 for fewer than two values.
[[nodiscard]] inline double deviation(std::vector<double> const& values) {
  if (values.size() < 2) return 0;
  auto const m = mean(values);
  double sum = 0;
  for (auto const v : values) sum += (v - m) * (v - m);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// Returns the geometric mean of positive values; 0 for no values.
[[nodiscard]] inline double geometric_mean(std::vector<double> const& values) {
  double sum = 0;
  for (auto const v : values) sum += std::log(v);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace ttune_bench
