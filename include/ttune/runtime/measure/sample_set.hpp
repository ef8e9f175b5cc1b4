// SPDX-License-Identifier: Apache-2.0
// Timing samples of a kernel: decides which samples count, and when there are enough.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ttune/runtime/measure/sample_statistics.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns how often the process was preempted so far; a sample during which this number grows is less reliable.
inline long interruptions() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

/// Returns the number of calls, of `once` seconds each, that make a sample of at least `seconds`.
inline std::int64_t calls_for(double seconds, double once) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(seconds / std::max(once, 1e-9)), 1.0, 1e7));
}

/// Seconds per call of each sample. Samples that were disturbed count only if there are fewer than three clean ones.
struct sample_set {
  std::vector<double> clean;
  std::vector<double> all;
  void add(double seconds, bool disturbed) {
    all.push_back(seconds);
    if (!disturbed) clean.push_back(seconds);
  }
  [[nodiscard]] std::vector<double> const& best() const noexcept { return clean.size() >= 3 ? clean : all; }
  /// Returns true if these samples are slower than `rival` by a margin that more samples would not change.
  [[nodiscard]] bool slower_than(double rival) const {
    return rival > 0 && *std::min_element(all.begin(), all.end()) > (1.05 + 2 * spread_of(all)) * rival;
  }
  /// Returns true if the median is known to about a third of a per cent.
  [[nodiscard]] bool stable() const {
    auto const n = clean.size();
    return n >= 5 && spread_of(clean) < 0.0033 * std::sqrt(static_cast<double>(n));
  }
};

}}}  // namespace ttune::v0::detail
