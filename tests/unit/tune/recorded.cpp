// SPDX-License-Identifier: Apache-2.0
// Searching in records: recorded, unknown, and estimated measurements.
#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "support/landscape.hpp"
#include "ttune/model/forest_model.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/search/random_search.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/recorded/recorded_device.hpp"
#include "ttune/tune/recorded/recorded_pool.hpp"
#include "ttune/tune/recorded/recorded_search.hpp"

namespace recorded_tests {

using namespace ttune;
using ttune_test::landscape;

namespace {

record record_of(std::vector<knob> const& knobs, configuration const& c, double seconds,
                 trial_status status = trial_status::ok) {
  record r;
  r.key.compute = 7;
  r.key.compute_text = "landscape";
  r.choices = choices_of(knobs, c);
  r.result.status = status;
  r.result.seconds = seconds;
  r.result.samples = 1;
  return r;
}

/// Returns random configurations of the landscape as records; every eighth failed.
recorded_device recorded_landscape(landscape const& land, std::size_t count) {
  auto const& knobs = land.space().knobs();
  recorded_device device(knobs);
  rng random(3);
  while (device.configurations().size() < count) {
    auto const c = land.space().draw(random);
    bool const fails = hash_of(c) % 8 == 0;
    device.add(fails ? record_of(knobs, c, 0, trial_status::timed_out) : record_of(knobs, c, 1e-3 / land.speed(c)));
  }
  return device;
}

}  // namespace

TEST_CASE("recorded_device: answers from records, and reports unknown configurations") {
  landscape const land;
  auto const& knobs = land.space().knobs();
  rng random(1);
  auto const a = land.space().draw(random);
  auto const b = land.space().draw(random);
  auto const c = land.space().draw(random);
  recorded_device device(knobs);
  CHECK(device.best_seconds() == std::numeric_limits<double>::infinity());
  CHECK(device.add(record_of(knobs, a, 3)));
  CHECK(device.add(record_of(knobs, a, 1)));
  CHECK(device.add(record_of(knobs, a, 8)));
  CHECK(device.add(record_of(knobs, b, 0, trial_status::timed_out)));
  CHECK(device.measure(a).source == recorded_source::recorded);
  CHECK(device.measure(a).result.seconds == 3);
  CHECK(device.measure(a).result.samples == 3);
  CHECK(device.measure(b).source == recorded_source::recorded);
  CHECK(device.measure(b).result.status == trial_status::timed_out);
  CHECK(device.measure(c).source == recorded_source::unknown);
  CHECK_FALSE(device.measure(c).result.ok());
  CHECK(device.measure(c).result.message == "not recorded");
  CHECK(device.best_seconds() == 3);
  CHECK(device.configurations() == std::vector<configuration>{a, b});
  CHECK(device.summary().records == 4);
  CHECK(device.summary().repeated == 2);
  CHECK(device.summary().contradictory == 0);
}

TEST_CASE("recorded_device: records that contradict, and records of something else") {
  landscape const land;
  auto const& knobs = land.space().knobs();
  rng random(1);
  auto const a = land.space().draw(random);
  auto const b = land.space().draw(random);
  recorded_device device(knobs);
  device.add(record_of(knobs, a, 0, trial_status::crashed));
  device.add(record_of(knobs, a, 2));
  device.add(record_of(knobs, a, 0, trial_status::crashed));
  device.add(record_of(knobs, b, 2));
  device.add(record_of(knobs, b, 0, trial_status::crashed));
  CHECK(device.measure(a).result.ok());
  CHECK(device.measure(b).result.seconds == 2);
  CHECK(device.summary().contradictory == 2);
  auto other = record_of(knobs, a, 1);
  other.key.compute = 8;
  CHECK_FALSE(device.add(other));
  CHECK(device.summary().first_fault == "the record is of another task: landscape");
  auto strange = record_of(knobs, a, 1);
  strange.choices[0].values[0] = 511;
  strange.choices[0].index = -1;
  CHECK_FALSE(device.add(strange));
  for (double const seconds : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    CHECK_FALSE(device.add(record_of(knobs, b, seconds)));
  CHECK(device.summary().left_out == 6);
  CHECK(device.measure(b).result.seconds == 2);
}

TEST_CASE("fit_oracle: estimates are marked, ordered like the records, and never beyond them") {
  landscape const land;
  auto device = recorded_landscape(land, 2000);
  auto const features = land.features();
  CHECK_THROWS_AS(static_cast<void>(fit_oracle(recorded_device(land.space().knobs()), features, linear_model{})),
                  argument_error);
  device.estimate_by(fit_oracle(device, features, linear_model{}));
  rng random(99);
  std::vector<float> estimated;
  std::vector<float> truth;
  std::size_t failures = 0;
  for (int i = 0; i < 1000; ++i) {
    auto const c = land.space().draw(random);
    auto const [source, result] = device.measure(c);
    if (source == recorded_source::recorded) continue;
    CHECK(source == recorded_source::estimated);
    CHECK(result.message == "not recorded: an estimate");
    if (!result.ok()) {
      ++failures;
      continue;
    }
    CHECK(result.seconds >= device.best_seconds());
    estimated.push_back(static_cast<float>(1 / result.seconds));
    truth.push_back(static_cast<float>(land.speed(c)));
  }
  CHECK(estimated.size() > 700);
  CHECK(failures > 50);  // an eighth of the records
  CHECK(failures < 250);
  CHECK(rank_correlation(estimated, truth) > 0.5);
}

TEST_CASE("recorded_search: the same seed gives the same curve, all recorded points are found in the end") {
  landscape const land;
  auto const device = recorded_landscape(land, 600);
  auto const features = land.features();
  recorded_pool const pool(device.configurations());
  auto const run = [&](any_cost_model model, std::uint64_t seed, std::size_t trials) {
    return recorded_search(land.space(), device, pool, std::move(model), features,
                           {.trials = trials, .batch = 32, .seed = seed});
  };
  auto const a = run(linear_model{}, 5, 200);
  auto const b = run(linear_model{}, 5, 200);
  CHECK(a.best_seconds == b.best_seconds);
  CHECK(a.best_seconds != run(linear_model{}, 6, 200).best_seconds);
  CHECK(a.best_seconds.size() == 200);
  CHECK(a.recorded == 200);
  CHECK(a.unknown + a.estimated == 0);
  auto const all = run({}, 1, 10'000);
  CHECK(all.best_seconds.size() == 600);
  CHECK(all.best_seconds.back() == device.best_seconds());
  CHECK(all.share_of(device.best_seconds(), 10'000) == 1);
  CHECK(all.trials_to(device.best_seconds(), 1).value() <= 600);
  CHECK(all.failed > 0);
}

TEST_CASE("recorded_search: a model finds the best of the records sooner than chance") {
  landscape const land;
  auto const device = recorded_landscape(land, 3000);
  auto const features = land.features();
  recorded_pool const pool(device.configurations());
  double guided = 0;
  double blind = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    recorded_search_options const options{.trials = 256, .batch = 32, .seed = seed};
    guided += recorded_search(land.space(), device, pool, linear_model{}, features, options)
                  .share_of(device.best_seconds(), 256) /
              5;
    blind +=
        recorded_search(land.space(), device, pool, {}, features, options).share_of(device.best_seconds(), 256) / 5;
  }
  INFO("share of the best speed: guided " << guided << ", blind " << blind);
  CHECK(guided > blind + 0.1);
}

TEST_CASE("recorded_search: single trees of a forest find the best sooner than chance, the same for one seed") {
  landscape const land;
  auto const device = recorded_landscape(land, 3000);
  auto const features = land.features();
  recorded_pool const pool(device.configurations());
  double guided = 0, blind = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    recorded_search_options const options{.trials = 256, .batch = 32, .seed = seed};
    auto const found = recorded_search(land.space(), device, pool, forest_model{}, features, options);
    CHECK(found.best_seconds ==
          recorded_search(land.space(), device, pool, forest_model{}, features, options).best_seconds);
    CHECK(found.best_seconds.size() == 256);
    guided += found.share_of(device.best_seconds(), 256) / 5;
    blind +=
        recorded_search(land.space(), device, pool, {}, features, options).share_of(device.best_seconds(), 256) / 5;
  }
  INFO("share of the best speed: guided " << guided << ", blind " << blind);
  CHECK(guided > blind + 0.1);
}

TEST_CASE("recorded_pool: each slot takes the best of another opinion, random slots stay random") {
  landscape const land;
  auto const device = recorded_landscape(land, 400);
  auto const all = device.configurations();
  constexpr std::size_t opinions = 10;
  auto const score_of = [](configuration const& c, std::size_t opinion) {
    return static_cast<float>(hash_of(c) % (101 + opinion));
  };
  opinion_scorer const each{opinions, [&](std::span<configuration const> some, std::span<float> out) {
                              for (std::size_t i = 0; i < out.size(); ++i)
                                out[i] = score_of(some[i / opinions], i % opinions);
                            }};
  batch_scorer const score = land.scorer();
  for (double const exploration : {0.0, 0.5}) {
    recorded_pool pool(all, {.exploration = exploration});
    pool.start(land.space(), 1);
    configuration_set const visited;
    auto const batch = pool.propose({10, visited, score, {}, &each});
    CHECK(configuration_set(batch.begin(), batch.end()).size() == 10);
    std::size_t best_of_one = 0;
    for (std::size_t k = 0; k < opinions; ++k) {
      float most = 0;
      for (auto const& c : all) most = std::max(most, score_of(c, k));
      best_of_one += std::ranges::any_of(batch, [&](auto const& c) { return score_of(c, k) == most; }) ? 1U : 0U;
    }
    CHECK(best_of_one >= (exploration > 0 ? 5U : 10U));
  }
  recorded_pool pool(device.configurations());
  pool.start(land.space(), 1);
  configuration_set visited;
  for (std::size_t left = all.size(); left > 0;) {
    auto const batch = pool.propose({64, visited, score, {}, &each});
    REQUIRE(batch.size() == std::min<std::size_t>(64, left));
    left -= batch.size();
    for (auto const& c : batch) CHECK(visited.insert(c).second);
  }
}

TEST_CASE("recorded_search: strategies of the whole space propose unrecorded configurations") {
  landscape const land;
  auto device = recorded_landscape(land, 500);
  auto const features = land.features();
  recorded_search_options const options{.trials = 128, .batch = 16, .seed = 2};
  auto const bare = recorded_search(land.space(), device, random_search{}, {}, features, options);
  CHECK(bare.unknown > 10 * bare.best_seconds.size());
  CHECK(bare.best_seconds.size() < 128);
  device.estimate_by(fit_oracle(device, features, linear_model{}));
  auto const guessed =
      recorded_search(land.space(), device, annealing({.chains = 16, .steps = 20}), linear_model{}, features, options);
  CHECK(guessed.best_seconds.size() == 128);
  CHECK(guessed.unknown == 0);
  CHECK(guessed.estimated > 64);
  CHECK_THROWS_AS(static_cast<void>(recorded_search(land.space(), device, {}, {}, features)), argument_error);
  CHECK_THROWS_AS(static_cast<void>(recorded_search(land.space(), device, random_search{}, {}, features, {.batch = 0})),
                  argument_error);
}

TEST_CASE("recorded_pool: distinct, unvisited, the best by score but for the plan's random ones") {
  landscape const land;
  auto const device = recorded_landscape(land, 400);
  recorded_pool pool(device.configurations(), {.exploration = 0.25});
  pool.start(land.space(), 4);
  configuration_set visited;
  auto const score = land.scorer();
  std::vector<configuration> sorted = device.configurations();
  std::sort(sorted.begin(), sorted.end(), [&](auto const& a, auto const& b) { return land.speed(a) > land.speed(b); });
  auto const first = pool.propose({40, visited, score, {}});
  CHECK(first.size() == 40);
  std::size_t top = 0;
  for (auto const& c : first) {
    CHECK(visited.insert(c).second);
    if (land.speed(c) >= land.speed(sorted[39])) ++top;
  }
  CHECK(top >= 30);
  CHECK(top < 40);
  std::size_t rest = 0;
  for (auto batch = pool.propose({64, visited, score, {}}); !batch.empty();
       batch = pool.propose({64, visited, score, {}}))
    for (auto const& c : batch) {
      CHECK(visited.insert(c).second);
      ++rest;
    }
  CHECK(rest == 360);
  pool.start(land.space(), 4);
  CHECK(pool.propose({40, {}, score, {}}) == first);
  recorded_pool diverse(device.configurations(), {.exploration = 0, .taste = {.diversity = 10, .pool = 4}});
  diverse.start(land.space(), 4);
  auto const spread = diverse.propose({40, {}, score, {}});
  CHECK(configuration_set(spread.begin(), spread.end()).size() == 40);
  CHECK(spread != first);
  recorded_pool advised(device.configurations(), {.advised = 0.25});  // without successes, draws among the best 100
  advised.start(land.space(), 4);
  auto const begin = advised.propose({40, {}, score, {}});
  CHECK(configuration_set(begin.begin(), begin.end()).size() == 40);
  auto const among = [&](std::size_t best) {
    return std::count_if(begin.begin(), begin.end(),
                         [&](auto const& c) { return land.speed(c) >= land.speed(sorted[best - 1]); });
  };
  CHECK(among(100) >= 30);
  CHECK(among(40) < 30);
}

TEST_CASE("propose_advised: half of a batch uses scores without a trial, alternating with the rest") {
  landscape const land;
  auto const device = recorded_landscape(land, 200);
  auto all = device.configurations();
  batch_scorer const score = [](auto some, auto out) {
    for (std::size_t i = 0; i < some.size(); ++i) out[i] = static_cast<float>(hash_of(some[i]) % 100003);
  };
  std::ranges::sort(all, std::greater(), [](configuration const& c) { return hash_of(c) % 100003; });
  recorded_pool pool(device.configurations(), {.exploration = 0});
  pool.start(land.space(), 1);
  configuration_set const visited;
  auto const batch = propose_advised(pool, {9, visited, score, {}});
  REQUIRE(batch.size() == 9);
  for (std::size_t i = 0; i < 5; ++i) CHECK(batch[2 * i] == all[i]);
  CHECK(configuration_set(batch.begin(), batch.end()).size() == 9);
  auto const one = propose_advised(pool, {1, visited, score, {}});
  REQUIRE(one.size() == 1);
  CHECK(one[0] == all[0]);
}

}  // namespace recorded_tests
