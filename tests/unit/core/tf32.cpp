// SPDX-License-Identifier: Apache-2.0
#include "ttune/core/tf32.hpp"

#include <doctest/doctest.h>

#include "support/seed.hpp"
#include "support/tf32_values.hpp"
#include "ttune/support/rng.hpp"

namespace tf32_tests {

using namespace ttune;

TEST_CASE("tf32: ties, carries, the ends of the range, NaN") {
  for (auto const& v : ttune_test::tf32_values()) {
    INFO(v.bits);
    CHECK(v.is(rounded_to_tf32(v.from())));
  }
}

TEST_CASE("tf32: the nearest of its neighbours, which it keeps, half way the one away from zero") {
  rng random(ttune_test::seed());
  for (int n = 0; n < 100'000; ++n) {
    auto const low = static_cast<std::uint32_t>(random.below(0x7f7fe000U)) & 0xffffe000U;
    auto const a = std::bit_cast<float>(low);
    auto const b = std::bit_cast<float>(low + 0x2000U);
    auto const x = std::bit_cast<float>(low + static_cast<std::uint32_t>(random.below(0x2000)));
    REQUIRE(rounded_to_tf32(a) == a);
    auto const below = static_cast<double>(x) - static_cast<double>(a);
    auto const above = static_cast<double>(b) - static_cast<double>(x);
    REQUIRE(rounded_to_tf32(x) == (above <= below ? b : a));
    REQUIRE(rounded_to_tf32(-x) == -rounded_to_tf32(x));
  }
}

}  // namespace tf32_tests
