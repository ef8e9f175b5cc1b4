// SPDX-License-Identifier: Apache-2.0
// The seed of random tests: fixed, or TTUNE_SEED. A failure prints it: INFO("TTUNE_SEED=", seed).
#pragma once

#include <cstdint>
#include <cstdlib>

namespace ttune_test {

[[nodiscard]] inline std::uint64_t seed(std::uint64_t otherwise = 1) {
  char const* const value = std::getenv("TTUNE_SEED");
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

}  // namespace ttune_test
