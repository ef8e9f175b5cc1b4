// SPDX-License-Identifier: Apache-2.0
// Random numbers of a normal distribution, for tests that measure rounding errors.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/support/rng.hpp"

namespace ttune_test {

/// Returns numbers of mean 0 and variance 1: each is a sum of twelve uniform ones.
[[nodiscard]] inline std::vector<float> normal_numbers(std::int64_t count, ttune::rng& random) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (auto& v : made) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    v = static_cast<float>(sum);
  }
  return made;
}

}  // namespace ttune_test
