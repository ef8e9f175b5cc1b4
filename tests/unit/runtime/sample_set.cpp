// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/measure/sample_set.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace sample_set_tests {

using ttune::detail::calls_for;
using ttune::detail::sample_set;

namespace {

sample_set of(std::vector<double> const& clean, std::vector<double> const& disturbed = {}) {
  sample_set made;
  for (auto const s : disturbed) made.add(s, true);
  for (auto const s : clean) made.add(s, false);
  return made;
}

}  // namespace

TEST_CASE("samples: disturbed ones count only where there are hardly any others") {
  CHECK(of({1, 1.1, 1.2}, {5, 6}).best() == std::vector<double>{1, 1.1, 1.2});
  CHECK(of({1, 1.1}, {5}).best() == std::vector<double>{5, 1, 1.1});
}

TEST_CASE("samples: enough are taken where the median is known to a third of a per cent") {
  CHECK(of({1, 1, 1, 1, 1}).stable());
  CHECK(!of({1, 1, 1, 1}).stable());
  CHECK(!of({1, 1, 1, 1}, {1, 1, 1}).stable());
  CHECK(!of({0.98, 0.99, 1, 1.01, 1.02}).stable());
  std::vector<double> many;
  for (int i = 0; i < 100; ++i) many.insert(many.end(), {0.98, 0.99, 1, 1.01, 1.02});
  CHECK(of(many).stable());  // with the same spread as the five, but a hundred times as many
}

TEST_CASE("samples: a rival is behind only by more than the spread") {
  CHECK(of({1.1, 1.1, 1.1}).slower_than(1));
  CHECK(!of({1.04, 1.04, 1.04}).slower_than(1));
  CHECK(!of({1.1, 1.2, 1.3}).slower_than(1));  // the spread is a twelfth
  CHECK(!of({1.1, 1.1, 1.1}).slower_than(0));  // there is no cutoff
}

TEST_CASE("samples: a sample has one call at least, and a bounded number of them") {
  CHECK(calls_for(150e-6, 1e-6) == 150);
  CHECK(calls_for(150e-6, 1) == 1);
  CHECK(calls_for(150e-6, 0) == 150'000);
  CHECK(calls_for(1, 0) == 10'000'000);
  CHECK(calls_for(150e-6, std::numeric_limits<double>::infinity()) == 1);
}

}  // namespace sample_set_tests
