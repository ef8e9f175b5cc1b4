// SPDX-License-Identifier: Apache-2.0
// Model and search together: AutoTVM's loop on a synthetic landscape.
#include <doctest/doctest.h>

#include <cmath>

#include "support/landscape.hpp"
#include "support/seed.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/models/xgboost.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/search/random_search.hpp"

namespace guided_search_tests {

using namespace ttune;
using ttune_test::landscape;
using ttune_test::search_loop;

namespace {

/// Computes features: tile sizes as logarithms, other knobs unchanged.
void features_of(sampler const& space, configuration const& c, std::vector<float>& out) {
  for (std::size_t k = 0; k < c.choices.size(); ++k)
    for (auto const v : space.knobs()[k].choice(c.choices[k]))
      out.push_back(space.knobs()[k].kind == knob::sort::factors ? std::log2(static_cast<float>(v))
                                                                 : static_cast<float>(v));
}

constexpr std::size_t columns = 12;

/// Returns the best speed after `rounds` rounds of 32 measurements.
double guided(landscape const& land, any_cost_model model, std::uint64_t seed, int rounds) {
  annealing search({.chains = 64, .steps = 200});
  search.start(land.space(), seed);
  search_loop loop(land, search);
  std::vector<float> buffer;
  batch_scorer const by_model = [&](auto batch, auto out) {
    buffer.clear();
    for (auto const& c : batch) features_of(land.space(), c, buffer);
    model->predict({buffer.data(), batch.size(), columns}, out);
  };
  loop.round(32);
  for (int round = 1; round < rounds; ++round) {
    std::vector<float> features;
    std::vector<model_target> targets;
    for (auto const& seen : loop.incumbents) {
      features_of(land.space(), seen.chosen, features);
      targets.push_back({static_cast<float>(seen.speed / loop.best), false, 0});
    }
    model->fit({features.data(), targets.size(), columns}, targets);
    loop.round(32, by_model);
  }
  CHECK(loop.valid);
  return loop.best;
}

}  // namespace

TEST_CASE("guided by a model, a search needs far fewer measurements than at random") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=" << seed);
  landscape const land;
  double trees = 0, line = 0, blind = 0;
  for (std::uint64_t i = 0; i < 3; ++i) {
    trees += guided(land, xgboost({.held_out = 0}), seed + i, 8) / 3;
    line += guided(land, linear_model{}, seed + i, 8) / 3;
    random_search search;
    search.start(land.space(), seed + i);
    search_loop loop(land, search);
    for (int round = 0; round < 40; ++round) loop.round(32);
    blind += loop.best / 3;
  }
  INFO("best speed: 256 guided by trees " << trees << ", by the linear model " << line << ", 1280 at random " << blind);
  CHECK(trees > 0.5);
  CHECK(trees > blind);
  CHECK(line > blind);
}

}  // namespace guided_search_tests
