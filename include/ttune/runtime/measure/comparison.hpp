// SPDX-License-Identifier: Apache-2.0
// The result of timing two kernels alternately.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Result of timing two kernels in interleaved pairs.
struct comparison {
  double ratio = 1;     ///< median of seconds(second) / seconds(first)
  bool faster = false;  ///< true if the second is faster with 95 % confidence: `high` < 1
  std::int32_t pairs = 0;
  std::string failure;  ///< not empty: the comparison failed
  double low = 0;       ///< the true median of the ratios lies in [low, high] with 95 % confidence (sign test)
  double high = std::numeric_limits<double>::infinity();
  double first_seconds = 0;  ///< medians
  double second_seconds = 0;
};

}}  // namespace ttune::v0
