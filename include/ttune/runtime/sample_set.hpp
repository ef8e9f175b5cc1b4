// SPDX-License-Identifier: Apache-2.0
// Samples of a kernel's time: which of them count, and when there are enough.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ttune/runtime/sample_statistics.hpp"

namespace ttune::inline v0::detail {

/// How often the process was pushed off a processor: samples in which that happened say less.
inline long interruptions() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

/// How many calls of `once` seconds make a sample.
inline std::int64_t calls_for(double seconds, double once) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(seconds / std::max(once, 1e-9)), 1.0, 1e7));
}

/// Seconds a call of each sample; those that were disturbed count only if there are hardly any others.
struct sample_set {
  std::vector<double> clean;
  std::vector<double> all;
  void add(double seconds, bool disturbed) {
    all.push_back(seconds);
    if (!disturbed) clean.push_back(seconds);
  }
  [[nodiscard]] std::vector<double> const& best() const noexcept { return clean.size() >= 3 ? clean : all; }
  /// By so much that more samples would not change it.
  [[nodiscard]] bool slower_than(double rival) const {
    return rival > 0 && *std::min_element(all.begin(), all.end()) > (1.05 + 2 * spread_of(all)) * rival;
  }
  /// The median is known to about a third of a per cent.
  [[nodiscard]] bool stable() const {
    auto const n = clean.size();
    return n >= 5 && spread_of(clean) < 0.0033 * std::sqrt(static_cast<double>(n));
  }
};

}  // namespace ttune::inline v0::detail
