// SPDX-License-Identifier: Apache-2.0
// Properties that all strategies have, and the purpose of each of them.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/landscape.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/search/bandit.hpp"
#include "ttune/search/descent.hpp"
#include "ttune/search/evolutionary.hpp"
#include "ttune/search/genetic.hpp"
#include "ttune/search/random_search.hpp"
#include "ttune/support/error.hpp"

namespace strategies_tests {

using namespace ttune;
using ttune_test::landscape;
using ttune_test::search_loop;

namespace {

any_search made(int which) {
  switch (which) {
    case 0: return any_search(evolutionary_search({.population = 128}));
    case 1: return any_search(descent{});
    case 2: return any_search(genetic_search{});
    default:
      return any_search(bandit_search(
          {any_search(random_search{}), any_search(descent{}), any_search(evolutionary_search({.population = 64}))}));
  }
}
constexpr int kinds = 4;

/// Returns the best after some trials without a model, as mean over the seeds.
double mean_best(int which, std::size_t trials) {
  double sum = 0;
  constexpr std::uint64_t seeds = 5;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    landscape const land;
    auto const search = which < 0 ? any_search(random_search{}) : made(which);
    search->start(land.space(), seed);
    search_loop loop(land, *search);
    while (loop.order.size() < trials) loop.round(20);
    sum += loop.best;
  }
  return sum / seeds;
}

}  // namespace

TEST_CASE("proposals are valid and new, and the same for the same seed") {
  for (int which = 0; which < kinds; ++which) {
    INFO("strategy " << which);
    landscape const land;
    std::vector<std::vector<configuration>> orders;
    for (std::uint64_t const seed : {5U, 5U, 6U}) {
      auto const search = made(which);
      search->start(land.space(), seed);
      search_loop loop(land, *search);
      loop.round(24);
      for (int round = 0; round < 3; ++round) CHECK(loop.round(24, land.scorer()) == 24);
      CHECK(loop.valid);
      orders.push_back(loop.order);
    }
    CHECK(orders[0] == orders[1]);
    CHECK(orders[0] != orders[2]);
  }
}

TEST_CASE("a small space is exhausted, each configuration once") {
  sampler const space({factors_knob("y", 64, 2), factors_knob("x", 64, 2)},
                      {{knob_value{0, 1, 0} * knob_value{1, 1, 0} <= 64, ""}});
  for (int which = 0; which < kinds; ++which) {
    INFO("strategy " << which);
    auto const search = made(which);
    search->start(space, 1);
    configuration_set visited;
    std::vector<observation> incumbents;
    batch_scorer const none;
    for (int round = 0; round < 20; ++round)
      for (auto const& c : search->propose({5, visited, none, incumbents})) {
        CHECK(space.valid(c));
        CHECK(visited.insert(c).second);
        incumbents.push_back({c, 1.0, false});
      }
    CHECK(visited.size() == 28);
    CHECK(search->propose({5, visited, none, incumbents}).empty());
  }
}

TEST_CASE("scores that are no numbers do no harm") {
  landscape const land;
  batch_scorer const broken = [](std::span<configuration const> batch, std::span<float> out) {
    for (std::size_t i = 0; i < batch.size(); ++i)
      out[i] = i % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : -std::numeric_limits<float>::infinity();
  };
  evolutionary_search search({.population = 32, .generations = 2});
  search.start(land.space(), 1);
  search_loop loop(land, search);
  CHECK(loop.round(8, broken) == 8);
  CHECK(loop.valid);
}

TEST_CASE("evolution finds good scores with few evaluations") {
  landscape const land;
  std::size_t evaluations = 0;
  auto const count = [&](std::span<configuration const> batch, std::span<float> out) {
    evaluations += batch.size();
    land.scorer()(batch, out);
  };
  evolutionary_search search({.exploration = 0});
  search.start(land.space(), 3);
  search_loop loop(land, search);
  loop.round(8, count);
  CHECK(evaluations == 1024 * 7);
  CHECK(loop.best > 0.5);                         // random draws: about .2
  CHECK(land.speed(loop.order[0]) == loop.best);  // the best one comes first
}

TEST_CASE("descent measures neighbours of the fastest") {
  landscape const land;
  descent search({.incumbents = 1, .exploration = 0});
  search.start(land.space(), 4);
  rng random(1);
  auto const start = land.space().draw(random);
  std::vector<observation> const incumbents = {{start, land.speed(start), false}};
  configuration_set const visited = {start};
  batch_scorer const none;
  auto const around = land.space().neighbours(start);
  for (auto const& c : search.propose({5, visited, none, incumbents}))
    CHECK(std::ranges::find(around, c) != around.end());
  auto const by_score = search.propose({3, visited, land.scorer(), incumbents});
  for (auto const& c : around) CHECK(land.speed(c) <= land.speed(by_score[0]));
}

TEST_CASE("without a model, descent and the bandit beat random draws") {
  auto const blind = mean_best(-1, 200);
  CHECK(mean_best(1, 200) > 1.3 * blind);
  CHECK(mean_best(3, 200) > 1.1 * blind);
}

TEST_CASE("the bandit gives the trials to the arm that helps") {
  landscape const land;
  bandit_search search({any_search(random_search{}), any_search(annealing({.chains = 32, .steps = 100}))});
  search.start(land.space(), 2);
  search_loop loop(land, search);
  for (int round = 0; round < 12; ++round) loop.round(16, land.scorer());
  CHECK(loop.valid);
  CHECK(search.given()[1] > 2 * search.given()[0]);
  CHECK(search.given()[0] > 0);
}

TEST_CASE("options that make no sense are refused") {
  CHECK_THROWS_AS(evolutionary_search({.population = 1}), argument_error);
  CHECK_THROWS_AS(evolutionary_search({.generations = 0}), argument_error);
  CHECK_THROWS_AS(bandit_search({}), argument_error);
}

}  // namespace strategies_tests
