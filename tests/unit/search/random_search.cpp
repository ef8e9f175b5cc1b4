// SPDX-License-Identifier: Apache-2.0
#include "ttune/search/random_search.hpp"

#include <doctest/doctest.h>

#include "support/landscape.hpp"
#include "support/seed.hpp"

namespace random_search_tests {

using namespace ttune;
using ttune_test::landscape;
using ttune_test::search_loop;

TEST_CASE("random search visits a whole small space, each configuration once") {
  sampler const space({factors_knob("y", 64, 2), factors_knob("x", 64, 2)},
                      {{knob_value{0, 1, 0} * knob_value{1, 1, 0} <= 64, ""}});
  random_search search;
  search.start(space, ttune_test::seed());
  configuration_set visited;
  batch_scorer const none;
  std::size_t total = 0;
  for (int round = 0; round < 10; ++round) {
    auto const batch = search.propose({5, visited, none, {}});
    total += batch.size();
    for (auto const& c : batch) {
      CHECK(space.valid(c));
      CHECK(visited.insert(c).second);
    }
  }
  CHECK(total == 28);
  CHECK(space.size() == 28);
  CHECK(search.propose({5, visited, none, {}}).empty());
}

TEST_CASE("the same seed proposes the same") {
  landscape const land;
  random_search a, b, c;
  a.start(land.space(), 1);
  b.start(land.space(), 1);
  c.start(land.space(), 2);
  search_loop x(land, a), y(land, b), z(land, c);
  for (int i = 0; i < 3; ++i) {
    x.round(32);
    y.round(32);
    z.round(32);
  }
  CHECK(x.valid);
  CHECK(x.order == y.order);
  CHECK(x.order != z.order);
}

TEST_CASE("an empty space proposes nothing") {
  sampler const space({factors_knob("y", 64, 2)}, {{knob_value{0, 1, 0} > 64, "extent(y) > 64"}});
  random_search search;
  search.start(space, 1);
  CHECK(search.propose({5, {}, {}, {}}).empty());
}

}  // namespace random_search_tests
