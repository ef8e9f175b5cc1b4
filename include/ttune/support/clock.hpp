// SPDX-License-Identifier: Apache-2.0
// A monotonic clock for measuring durations.
#pragma once

#include <chrono>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

using steady = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(steady::time_point start) noexcept {
  return std::chrono::duration<double>(steady::now() - start).count();
}

}}}  // namespace ttune::v0::detail
