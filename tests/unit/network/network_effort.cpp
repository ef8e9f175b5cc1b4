// SPDX-License-Identifier: Apache-2.0
// Networks with records: a search that was cut short, or made with less effort than what is asked for, goes on.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/memory_store.hpp"

namespace network_effort_tests {

using namespace ttune;
using ending = recorded_effort::ending;

namespace {

network two_kinds() {
  network net("two kinds");
  auto const x = net.input<float>("x", {8, 8});
  auto const y = net.add(ops::matmul(8, 8, 8), x, net.weights("w", {8, 8}, std::vector<float>(64, 0.5F)));
  net.output("z", net.add(ops::matmul(8, 8, 8), y, net.add(ops::matmul(8, 8, 8), x, y)));
  return net;
}

tuned_network tune(std::shared_ptr<memory_store> const& records, tuning_budget const& budget) {
  tuner_options options;
  options.worker = worker::in_process{};
  options.records = records;
  tuner by(orc_backend{}, options);
  return tune_network(two_kinds(), by, budget);
}

}  // namespace

TEST_CASE("network effort: a larger budget goes on, an equal or smaller one is answered by the records") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const records = std::make_shared<memory_store>();
  auto const first = tune(records, {.trials = 4}).report().search;
  CHECK(first.trials > 0);
  REQUIRE(first.effort);
  CHECK(first.effort.ended != ending::cut_short);
  for (tuning_budget const& budget :
       {tuning_budget{.trials = 4}, tuning_budget{.trials = 2}, tuning_budget(effort::estimate)}) {
    auto const again = tune(records, budget).report().search;
    CHECK(again.trials == 0);
    CHECK(again.effort == first.effort);
  }
  auto const more = tune(records, {.trials = 12}).report().search;
  CHECK(more.trials > 0);
  CHECK(more.continued);
  CHECK(tune(records, {.trials = 12}).report().search.trials == 0);
}

TEST_CASE("network effort: a search that a deadline cut short is used at once, and goes on at the next start") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const records = std::make_shared<memory_store>();
  auto const past = std::chrono::steady_clock::now() - std::chrono::hours(1);
  auto const far = std::chrono::steady_clock::now() + std::chrono::hours(1000);
  auto const first = tune(records, {.trials = 6, .deadline = past}).report().search;
  REQUIRE(first.effort);
  CHECK(first.effort.ended == ending::cut_short);
  CHECK(tune(records, effort::estimate).report().search.trials == 0);
  auto const next = tune(records, {.trials = 6, .deadline = far}).report().search;
  CHECK(next.continued);
  CHECK(next.trials > 0);
  CHECK(next.effort.ended != ending::cut_short);
  CHECK(tune(records, {.trials = 6, .deadline = far}).report().search.trials == 0);
}

TEST_CASE("network effort: records of earlier versions answer at once") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const records = std::make_shared<memory_store>();
  (void)tune(records, {.trials = 2});
  auto const before = std::make_shared<memory_store>();
  records->for_each([&](record r) { return r.effort = {}, before->append(r), true; });
  CHECK(tune(before, {.trials = 100}).report().search.trials == 0);
  CHECK(tune(before, effort::patient).report().search.trials == 0);
}

}  // namespace network_effort_tests
