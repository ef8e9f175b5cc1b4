// SPDX-License-Identifier: Apache-2.0
// A monotonic clock for measuring durations, and the time of day for records.
#pragma once

#include <chrono>
#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

using steady = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(steady::time_point start) noexcept {
  return std::chrono::duration<double>(steady::now() - start).count();
}

/// Returns the time of now as records have it: milliseconds since 1970, UTC.
[[nodiscard]] inline std::int64_t timestamp_now() {
  auto const since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

}}}  // namespace ttune::v0::detail
