// SPDX-License-Identifier: Apache-2.0
#include "ttune/search/grid_search.hpp"

#include <doctest/doctest.h>

#include "support/landscape.hpp"

namespace grid_search_tests {

using namespace ttune;

TEST_CASE("grid search visits every configuration once, in order, and skips what is known") {
  sampler const space({factors_knob("y", 512, 2), factors_knob("x", 512, 2)},
                      {{knob_value{0, 1, 0} * knob_value{1, 1, 0} <= 1024, ""}});
  grid_search search;
  search.start(space, 1);
  configuration_set visited{space.unrank(3), space.unrank(40)};
  batch_scorer const none;
  std::vector<configuration> seen;
  for (;;) {
    auto const batch = search.propose({10, visited, none, {}});
    if (batch.empty()) break;
    seen.insert(seen.end(), batch.begin(), batch.end());
    visited.insert(batch.begin(), batch.end());
  }
  CHECK(seen.size() == 62);
  CHECK(visited.size() == 64);
  for (std::size_t i = 1; i < seen.size(); ++i) CHECK(space.rank(seen[i - 1]) < space.rank(seen[i]));
  search.start(space, 1);
  CHECK(search.propose({3, {}, none, {}}) == std::vector{space.unrank(0), space.unrank(1), space.unrank(2)});
}

TEST_CASE("a space that cannot be numbered is drawn from") {
  ttune_test::landscape const land;
  sampler const space(land.space().knobs(), {{knob_value{0, 3, 0} * knob_value{1, 3, 0} <= 256, ""}},
                      {.work_limit = 10});
  REQUIRE(!space.size().exact);
  grid_search search;
  search.start(space, 1);
  auto const batch = search.propose({50, {}, {}, {}});
  CHECK(batch.size() == 50);
  for (auto const& c : batch) CHECK(space.valid(c));
}

}  // namespace grid_search_tests
