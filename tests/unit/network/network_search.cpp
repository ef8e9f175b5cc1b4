// SPDX-License-Identifier: Apache-2.0
// One search over several operators, on a device whose times the test scripts.
#include "ttune/network/network_search.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/scripted_device.hpp"
#include "ttune/network/graph.hpp"
#include "ttune/network/settle_roles.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/tuner.hpp"

namespace network_search_tests {

using namespace ttune;
using namespace ttune_test;

TTUNE_SCRIPTED_DEVICE();

namespace {

/// Tunes chains of operators that copy, and counts the trials of each program.
struct scripted_search {
  std::map<std::string, std::int64_t> trials_of;
  std::int64_t trials = 0;

  network_steps run(std::vector<std::string> const& programs, std::map<std::string, double> const& seconds,
                    tuning_budget const& budget) {
    std::map<std::string, run_times> times;
    for (auto const& [name, each] : seconds) times[name] = [call = each](std::int64_t) { return call; };
    times["copy"] = [](std::int64_t) { return 1e-6; };
    tuner_options with;
    with.worker = worker::in_process{};
    with.executor = std::make_shared<thread_pool>(1);
    with.batch = 4;
    with.on_progress = [this](progress const& p) { trials_of[p.workload] += p.finished ? 0 : 1; };
    tuner by(std::make_shared<scripted_device_backend>(times), with);
    network_graph net("chain");
    auto value = net.add_input("x", dtype::f32, {scripted_elements});
    for (auto const& name : programs) {
      network_compute const compute{ttune_test::copy_program(name), 0};
      value = net.add_operator({}, {compute}, {value}).front();
    }
    net.add_output("y", value);
    numerics const allowed;
    detail::network_search search(net, by, budget, allowed);
    auto made = search.run();
    trials = search.trials();
    return made;
  }
};

}  // namespace

TEST_CASE("network search: trials go to the operators that take most of the network's time") {
  scripted_search of;
  (void)of.run({"heavy", "light"}, {{"heavy", 1e-2}, {"light", 1e-4}}, {.trials = 16});
  CHECK(of.trials == 32);
  CHECK(of.trials_of["light"] >= 1);
  CHECK(of.trials_of["heavy"] > 3 * of.trials_of["light"]);
}

TEST_CASE("network search: an operator that is called often counts as often") {
  scripted_search of;
  (void)of.run({"often", "once", "often", "often", "often", "often", "often", "often", "often"},
               {{"often", 1e-3}, {"once", 1e-3}}, {.trials = 24});
  CHECK(of.trials == 48);
  CHECK(of.trials_of["often"] > of.trials_of["once"]);
}

TEST_CASE("network search: equal operators have one kernel") {
  scripted_search of;
  auto const steps = of.run({"same", "same", "same"}, {{"same", 1e-3}}, {.trials = 6});
  CHECK(of.trials == 6);
  REQUIRE(steps.all.size() == 3);
  for (auto const& step : steps.all) {
    CHECK(step.kernel.image == steps.all[0].kernel.image);
    CHECK(step.kernel.seconds == doctest::Approx(1e-3));
    CHECK(step.kernel.compute == "same");
  }
}

TEST_CASE("network search: weights that exceed the last-level cache come from memory") {
  scripted_device_backend const device({});
  auto const with_weights = [](std::int64_t elements) {
    network_graph net("net");
    auto const content = std::make_shared<std::vector<float>>(static_cast<std::size_t>(elements));
    (void)net.add_weights("w", dtype::f32, {elements}, {content, content->data()});
    return net;
  };
  auto const small = with_weights(device.target().l3_bytes / 4);
  auto const large = with_weights(device.target().l3_bytes / 4 + 1);
  auto const by = [&](objective goal) {
    tuner_options with;
    with.objective = goal;
    return tuner(device, with);
  };
  CHECK(detail::objective_in(small, by(objective::warm)) == objective::warm);
  CHECK(detail::objective_in(large, by(objective::warm)) == objective::cold_constants);
  CHECK(detail::objective_in(large, by(objective::cold)) == objective::cold);
}

namespace {

/// Searches for the kernels of two operators that read weights, each with a fast compute that lays out ten times as
/// many bytes. The first gains more by that than the second. Returns the computes that it chose.
std::vector<std::string> chosen_within(double weights_growth, double* costs = nullptr) {
  constexpr std::int64_t bytes = scripted_elements * 4;
  auto const always = [](double seconds) { return [seconds](std::int64_t) { return seconds; }; };
  auto const device = std::make_shared<scripted_device_backend>(
      std::map<std::string, run_times>{
          {"direct1", always(4e-3)}, {"large1", always(1e-3)}, {"direct2", always(3e-3)}, {"large2", always(2e-3)}},
      std::map<std::string, std::int64_t>{{"large1", 9 * bytes}, {"large2", 9 * bytes}});
  tuner_options with;
  with.worker = worker::in_process{};
  with.executor = std::make_shared<thread_pool>(1);
  tuner by(device, with);
  network_graph net("weights");
  for (std::string const number : {"1", "2"}) {
    auto const content = std::make_shared<std::vector<float>>(scripted_elements);
    auto const w = net.add_weights("w" + number, dtype::f32, {scripted_elements}, {content, content->data()});
    std::vector<network_compute> const computes{{ttune_test::copy_program("direct" + number), 0},
                                                {ttune_test::copy_program("large" + number), 2}};
    net.add_output("y" + number, net.add_operator({}, computes, {w}).front());
  }
  auto const settled = settle_roles(net);
  tuning_budget const budget{.trials = 8};
  auto const allowed = numerics::error_within(4);
  detail::network_search search(settled, by, budget, allowed, {.weights_growth = weights_growth});
  std::vector<std::string> made;
  for (auto const& step : search.run().all) made.push_back(step.kernel.compute);
  if (costs) *costs = search.cost().limit_seconds;
  return made;
}

}  // namespace

TEST_CASE("network search: kernels hold the limit of the bytes of weights where that costs least") {
  using names = std::vector<std::string>;
  double costs = 0;
  CHECK(chosen_within(std::numeric_limits<double>::infinity(), &costs) == names{"large1", "large2"});
  CHECK(costs == 0);
  CHECK(chosen_within(10, &costs) == names{"large1", "large2"});
  CHECK(costs == 0);
  CHECK(chosen_within(6, &costs) == names{"large1", "direct2"});
  CHECK(costs == doctest::Approx(1e-3));
  CHECK(chosen_within(1, &costs) == names{"direct1", "direct2"});
  CHECK(costs == doctest::Approx(4e-3));
  CHECK_THROWS_AS((void)chosen_within(0.5), argument_error);
}

}  // namespace network_search_tests
