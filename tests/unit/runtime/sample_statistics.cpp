// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/measure/sample_statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/seed.hpp"
#include "ttune/support/rng.hpp"

namespace sample_statistics_tests {

TEST_CASE("statistics: quantiles, median and spread") {
  CHECK(ttune::median_of({}) == 0);
  CHECK(ttune::median_of({3, 1, 2}) == 2);
  CHECK(ttune::median_of({4, 1, 2, 3}) == 2.5);
  CHECK(ttune::quantile_of({1, 2, 3, 4, 5}, 0.25) == 2);
  CHECK(ttune::spread_of({1, 2, 3, 4, 5}) == doctest::Approx(2.0 / 3));
}

TEST_CASE("statistics: bounds of a median are order statistics with 95 % confidence") {
  CHECK(ttune::median_bounds({1, 2, 3, 4, 5}).first == 0);
  CHECK(std::isinf(ttune::median_bounds({1, 2, 3, 4, 5}).second));
  auto const six = ttune::median_bounds({1, 2, 3, 4, 5, 6});  // 2 / 64 are outside
  CHECK(six.first == 1);
  CHECK(six.second == 6);
  std::vector<double> twenty;
  for (int i = 1; i <= 20; ++i) twenty.push_back(i);
  auto const bounds = ttune::median_bounds(twenty);  // the sixth and the fifteenth: 95.9 %
  CHECK(bounds.first == 6);
  CHECK(bounds.second == 15);
}

TEST_CASE("statistics: bounds hold the true median as often as they say") {
  ttune::rng random(ttune_test::seed());
  int held = 0;
  constexpr int rounds = 2000;
  for (int r = 0; r < rounds; ++r) {
    std::vector<double> values;
    for (int i = 0; i < 20; ++i) values.push_back(std::exp(3 * random.uniform()));  // skew, median exp(1.5)
    auto const [low, high] = ttune::median_bounds(values);
    held += low <= std::exp(1.5) && std::exp(1.5) <= high ? 1 : 0;
  }
  CHECK(held > 0.94 * rounds);
  CHECK(held < 0.98 * rounds);
}

}  // namespace sample_statistics_tests
