// SPDX-License-Identifier: Apache-2.0
#include "ttune/support/rng.hpp"

#include <doctest/doctest.h>

#include <array>
#include <numeric>

namespace rng_tests {

using namespace ttune;

TEST_CASE("the generator gives the same numbers everywhere") {
  rng random(1);  // xoshiro256** after splitmix64 of 1
  CHECK(random() == 12966619160104079557U);
  CHECK(random() == 9600361134598540522U);
  static_assert(rng(1)() == 12966619160104079557U);
}

TEST_CASE("bounded numbers are uniform") {
  rng random(7);
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) ++seen[random.below(7)];
  for (int const n : seen) CHECK(n == doctest::Approx(10000).epsilon(0.05));
  std::array<int, 3> thirds{};  // 2^64 is no multiple of this bound, so a biased method shows
  std::uint64_t const bound = 3 * (std::uint64_t{1} << 62);
  for (int i = 0; i < 30000; ++i) ++thirds[random.below(bound) >> 62];
  for (int const n : thirds) CHECK(n == doctest::Approx(10000).epsilon(0.05));
  CHECK(random.below(1) == 0);
}

TEST_CASE("reals lie in [0, 1)") {
  rng random(3);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    auto const x = random.uniform();
    CHECK((x >= 0 && x < 1));
    sum += x;
  }
  CHECK(sum / 10000 == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("a shuffle is a permutation, and a split makes another stream") {
  rng random(5);
  std::array<int, 50> values{};
  std::iota(values.begin(), values.end(), 0);
  auto const sorted = values;
  shuffle(std::span<int>(values), random);
  CHECK(values != sorted);
  CHECK(std::accumulate(values.begin(), values.end(), 0) == 1225);
  auto other = random.split();
  CHECK(other() != random());
}

}  // namespace rng_tests
