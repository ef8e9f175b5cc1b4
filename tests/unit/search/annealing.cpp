// SPDX-License-Identifier: Apache-2.0
#include "ttune/search/annealing.hpp"

#include <doctest/doctest.h>

#include "support/landscape.hpp"
#include "support/seed.hpp"
#include "ttune/search/genetic.hpp"
#include "ttune/search/random_search.hpp"
#include "ttune/support/error.hpp"

namespace annealing_tests {

using namespace ttune;
using ttune_test::landscape;
using ttune_test::search_loop;

namespace {

/// Returns the best speed in the space, found by trying all configurations.
double optimum(landscape const& land) {
  double best = 0;
  for (std::uint64_t i = 0; i < land.space().size().count; ++i)
    best = std::max(best, land.speed(land.space().unrank(i)));
  return best;
}

}  // namespace

TEST_CASE("annealing finds the optimum of a landscape with fewer evaluations than random draws need") {
  landscape const land;
  auto const best = optimum(land);
  auto const size = land.space().size().approximate();
  CHECK(size > 500'000);
  auto const seed = ttune_test::seed();
  for (auto const cooling : {annealing_options::cooling::constant, annealing_options::cooling::linear,
                             annealing_options::cooling::geometric, annealing_options::cooling::adaptive}) {
    INFO("TTUNE_SEED=" << seed << " cooling " << static_cast<int>(cooling));
    annealing search({.schedule = cooling, .exploration = 0});
    search.start(land.space(), seed);
    search_loop loop(land, search);
    CHECK(loop.round(8, land.scorer()) == 8);
    CHECK(loop.valid);
    bool const cools = cooling != annealing_options::cooling::constant;
    CHECK(loop.best >= best * (cools ? 0.9 : 0.5));
    CHECK(land.speed(loop.order[0]) == loop.best);                           // the best one comes first
    CHECK(static_cast<double>(search.last_round().evaluations) < size / 8);  // random draws need half of the space
  }
}

TEST_CASE("a small space is scored whole") {
  landscape const land(16);
  auto const size = static_cast<std::size_t>(land.space().size().count);
  REQUIRE(size < 64000);
  annealing search({.exploration = 0});
  search.start(land.space(), 1);
  search_loop loop(land, search);
  loop.round(16, land.scorer());
  CHECK(search.last_round().evaluations == size);
  CHECK(loop.best == optimum(land));
  for (std::size_t i = 1; i < 16; ++i)  // because scores are floats
    CHECK(static_cast<float>(land.speed(loop.order[i])) <= static_cast<float>(land.speed(loop.order[i - 1])));
}

TEST_CASE("annealing is reproducible") {
  landscape const land;
  std::vector<std::vector<configuration>> orders;
  for (std::uint64_t const seed : {5U, 5U, 6U}) {
    annealing search({.chains = 32, .steps = 60});
    search.start(land.space(), seed);
    search_loop loop(land, search);
    loop.round(20);
    for (int round = 0; round < 3; ++round) loop.round(20, land.scorer());
    CHECK(loop.valid);
    CHECK(loop.order.size() == 80);
    orders.push_back(loop.order);
  }
  CHECK(orders[0] == orders[1]);
  CHECK(orders[0] != orders[2]);
}

TEST_CASE("proposals are new until the space is exhausted") {
  sampler const space({factors_knob("y", 64, 2), factors_knob("x", 64, 2)});
  for (bool const score_all : {true, false}) {
    annealing search({.chains = 8, .steps = 20, .exploration = 0.2, .score_all = score_all});
    search.start(space, 3);
    configuration_set visited;
    batch_scorer const score = [](auto batch, auto out) {
      for (std::size_t i = 0; i < batch.size(); ++i) out[i] = static_cast<float>(batch[i].choices[0]);
    };
    for (int round = 0; round < 20; ++round)
      for (auto const& c : search.propose({5, visited, score, {}})) CHECK(visited.insert(c).second);
    CHECK(visited.size() == 49);
    CHECK(search.propose({5, visited, score, {}}).empty());
  }
}

TEST_CASE("random slots are at the places of the plan") {
  landscape const land;
  annealing search({.chains = 32, .steps = 100, .exploration = 0.25});
  search.start(land.space(), 2);
  configuration_set const visited;
  auto const score = land.scorer();
  auto const batch = search.propose({16, visited, score, {}});
  double planned = 0, random = 0;
  for (std::size_t i = 0; i < 16; ++i) (i % 4 == 3 ? random : planned) += std::log(land.speed(batch[i]));
  CHECK(planned / 12 > random / 4 + 1);
}

TEST_CASE("odd scores do no harm") {
  landscape const land;
  annealing search({.chains = 16, .steps = 30});
  search.start(land.space(), 2);
  configuration_set const visited;
  batch_scorer const constant = [](auto, auto out) { std::fill(out.begin(), out.end(), 0.5F); };
  batch_scorer const broken = [](auto batch, auto out) {
    for (std::size_t i = 0; i < batch.size(); ++i)
      out[i] =
          batch[i].choices[0] % 2 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  };
  CHECK(search.propose({16, visited, constant, {}}).size() == 16);
  CHECK(search.propose({16, visited, broken, {}}).size() == 16);
  CHECK_THROWS_AS(annealing({.chains = 0}), argument_error);
  CHECK_THROWS_AS(annealing({.hot = 0.1, .cold = 0.2}), argument_error);
}

TEST_CASE("diversity spreads a batch over the knobs' values") {
  landscape const land;
  std::size_t values[2] = {};
  for (int diverse = 0; diverse < 2; ++diverse) {
    annealing search({.exploration = 0, .taste = {.diversity = diverse * 5.0, .pool = 8}});
    search.start(land.space(), 2);
    search_loop loop(land, search);
    loop.round(32, land.scorer());
    std::unordered_set<std::int64_t> seen;
    for (auto const& c : loop.order)
      for (std::size_t k = 0; k < c.choices.size(); ++k)
        seen.insert(static_cast<std::int64_t>(k) * 10000 + c.choices[k]);
    values[diverse] = seen.size();
  }
  CHECK(values[1] > values[0]);
}

TEST_CASE("genetic search beats random draws at the same number of measurements") {
  landscape const land;
  double genetic_sum = 0, random_sum = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    genetic_search genetic;
    random_search random;
    genetic.start(land.space(), seed);
    random.start(land.space(), seed);
    search_loop a(land, genetic), b(land, random);
    for (int round = 0; round < 15; ++round) {
      a.round(32);
      b.round(32);
    }
    CHECK(a.valid);
    CHECK(a.order.size() == 480);
    genetic_sum += std::log(a.best);
    random_sum += std::log(b.best);
  }
  CHECK(genetic_sum > random_sum + 2);
}

TEST_CASE("any_search owns a strategy of any kind") {
  any_search search = annealing({.chains = 8});
  CHECK(search->name() == "annealing");
  search = random_search{};
  CHECK(search->name() == "random");
}

}  // namespace annealing_tests
