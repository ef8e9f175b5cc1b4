// SPDX-License-Identifier: Apache-2.0
// Every strategy on a recorded device with fixed seeds: reproducible, and better than chance if it claims to be.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/landscape.hpp"
#include "ttune/model/forest_model.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/search/bandit.hpp"
#include "ttune/search/descent.hpp"
#include "ttune/search/evolutionary.hpp"
#include "ttune/search/genetic.hpp"
#include "ttune/search/grid_search.hpp"
#include "ttune/search/random_search.hpp"
#include "ttune/tune/recorded/recorded_device.hpp"
#include "ttune/tune/recorded/recorded_search.hpp"

namespace recorded_strategies_tests {

using namespace ttune;
using ttune_test::landscape;

namespace {

std::vector<std::pair<std::string, any_search>> strategies() {
  return {{"random", random_search{}},
          {"grid", grid_search{}},
          {"genetic", genetic_search({.population = 32})},
          {"annealing", annealing({.chains = 16, .steps = 60})},
          {"evolutionary", evolutionary_search({.population = 128})},
          {"descent", descent{}},
          {"bandit", bandit_search({any_search(random_search{}), any_search(descent{}),
                                    any_search(evolutionary_search({.population = 64}))})}};
}

/// Returns a device that has a measurement of every configuration: the landscape's own speed.
recorded_device device_of(landscape const& land) {
  recorded_device device(land.space().knobs());
  device.estimate_by([&land](configuration const& c) { return 1e-3 / land.speed(c); });
  return device;
}

recorded_curve run(landscape const& land, recorded_device const& device, any_search const& search, bool model,
                   std::uint64_t seed) {
  return recorded_search(land.space(), device, search.another(),
                         model ? any_cost_model(linear_model{}) : any_cost_model{}, land.features(),
                         {.trials = 192, .batch = 16, .seed = seed});
}

/// Returns the share of the best possible speed after all trials, as mean over the seeds.
double share(landscape const& land, recorded_device const& device, any_search const& search, bool model) {
  double sum = 0;
  constexpr std::uint64_t seeds = 5;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    sum += 1e-3 / run(land, device, search, model, seed).best_seconds.back();
  return sum / seeds;
}

}  // namespace

TEST_CASE("strategies on a recorded device: the same seed gives the same curve") {
  landscape const land;
  auto const device = device_of(land);
  for (auto const& [name, search] : strategies())
    for (bool const model : {false, true}) {
      INFO(name << (model ? " with" : " without") << " a model");
      auto const first = run(land, device, search, model, 3);
      CHECK(first.best_seconds.size() == 192);
      CHECK(first.unknown == 0);
      CHECK(first.best_seconds == run(land, device, search, model, 3).best_seconds);
      if (name != "grid") CHECK(first.best_seconds != run(land, device, search, model, 4).best_seconds);
    }
}

TEST_CASE("strategies on a recorded device: learning ones are better than chance") {
  landscape const land;
  auto const device = device_of(land);
  auto const blind = share(land, device, random_search{}, false);
  for (auto const& [name, search] : strategies()) {
    if (name == "random" || name == "grid") continue;
    bool const alone = name == "genetic" || name == "descent";  // these need no model
    auto const found = share(land, device, search, !alone);
    INFO(name << ": " << found << ", random: " << blind);
    CHECK(found > 1.2 * blind);
  }
}

TEST_CASE("strategies on a recorded device: annealing whose chains follow the trees of a forest") {
  landscape const land;
  auto const device = device_of(land);
  auto const run_by = [&](any_cost_model model, std::uint64_t seed) {
    return recorded_search(land.space(), device, any_search(annealing({.chains = 16, .steps = 60})), std::move(model),
                           land.features(), {.trials = 192, .batch = 16, .seed = seed});
  };
  double guided = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto const found = run_by(forest_model{}, seed);
    CHECK(found.best_seconds.size() == 192);
    guided += 1e-3 / found.best_seconds.back() / 5;
    if (seed == 1) CHECK(found.best_seconds == run_by(forest_model{}, seed).best_seconds);
  }
  auto const blind = share(land, device, random_search{}, false);
  INFO("single trees: " << guided << ", random: " << blind);
  CHECK(guided > 1.5 * blind);
}

}  // namespace recorded_strategies_tests
