// SPDX-License-Identifier: Apache-2.0
// How many random programs a test runs.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "support/require.hpp"

namespace ttune_test {

/// Returns TTUNE_PROGRAMS, or `in_long_runs`, or `usual`.
[[nodiscard]] inline std::uint64_t program_count(std::uint64_t usual, std::uint64_t in_long_runs = 100'000) {
  if (char const* const given = std::getenv("TTUNE_PROGRAMS")) return std::strtoull(given, nullptr, 10);
  return long_run() ? in_long_runs : usual;
}

}  // namespace ttune_test
