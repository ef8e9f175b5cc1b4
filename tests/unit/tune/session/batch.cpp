// SPDX-License-Identifier: Apache-2.0
#include "ttune/tune/session/batch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ttune/tune/session/final_comparison.hpp"
#include "ttune/tune/session/proposer.hpp"

using namespace ttune;
using namespace ttune::detail;

namespace {

configuration choice(std::int32_t c) {
  configuration made;
  made.choices.push_back(c);
  return made;
}

/// The program of a configuration is its choice modulo ten; negative ones are refused.
class fake_trials final : public trial_runner {
 public:
  [[nodiscard]] std::vector<lowered_candidate> lower(std::span<configuration const> chosen, deadline const&) override {
    std::vector<lowered_candidate> made;
    for (auto const& c : chosen.first(std::min(chosen.size(), lowered)))
      made.push_back({c, {}, static_cast<std::uint64_t>(c.choices[0] % 10), c.choices[0] < 0 ? "negative" : ""});
    return made;
  }
  [[nodiscard]] std::vector<compiled_candidate> compile(std::vector<lowered_candidate> batch,
                                                        deadline const&) override {
    std::vector<compiled_candidate> made;
    for (auto& c : batch)
      if (made.size() < compiled) made.push_back(without_code(std::move(c)));
    return made;
  }
  [[nodiscard]] trial first(compiled_candidate seed) override { return {seed.chosen, {}}; }
  [[nodiscard]] std::vector<trial> run(std::vector<compiled_candidate>, trial_limits const&) override { return {}; }
  [[nodiscard]] comparison compare(trial const& a, trial const& b, std::int32_t pairs) override {
    return compare_known(a, b, pairs);
  }

  std::size_t lowered = 100;   ///< lowers no more
  std::size_t compiled = 100;  ///< compiles no more
};

std::vector<proposal> batch_of(std::vector<std::int32_t> const& choices) {
  std::vector<proposal> made;
  for (auto const c : choices) made.push_back({choice(c)});
  return made;
}

std::string shape_of(std::vector<prepared_candidate> const& batch) {
  std::string made;
  for (auto const& c : batch) made += std::to_string(c.from.chosen.choices[0]) + (c.compiled ? "! " : " ");
  return made;
}

trial taking(std::int32_t c, double seconds) {
  trial made{choice(c), {}};
  made.result.seconds = seconds;
  return made;
}

}  // namespace

TEST_CASE("prepare: a program that is known or comes twice is not compiled, and the order stays") {
  fake_trials by;
  known_results known;
  known.add(3, {});
  auto const made = prepare(by, known, batch_of({1, 13, 2, 11, 22, -4}), {});
  CHECK(shape_of(made) == "1! 13 2! 11 22 -4! ");
  CHECK(made[5].compiled->refused);
  CHECK(made[5].compiled->diagnostics == "negative");
  CHECK(made[3].text == made[0].text);
}

TEST_CASE("prepare: a batch ends where a stage ran out of time") {
  fake_trials by;
  by.compiled = 2;
  CHECK(shape_of(prepare(by, {}, batch_of({1, 11, 2, 12, 3, 13}), {})) == "1! 11 2! 12 ");
  by.lowered = 3;
  CHECK(shape_of(prepare(by, {}, batch_of({1, 11, 2, 12, 3, 13}), {})) == "1! 11 2! ");
  by.compiled = 0;
  CHECK(prepare(by, {}, batch_of({1, 11}), {}).empty());
  CHECK(prepare(by, {}, {}, {}).empty());
}

TEST_CASE("proposer: what is queued is taken once, in order") {
  proposer made{any_search()};
  made.queue({choice(1)});
  made.queue({choice(2), choice(3)});
  auto const queued = made.take_queued();
  REQUIRE(queued.size() == 3);
  CHECK(queued[0].chosen == choice(1));
  CHECK(queued[1].chosen == choice(2));
  CHECK(queued[2].chosen == choice(3));
  CHECK(made.take_queued().empty());
}

TEST_CASE("predict: without scores, nothing is predicted") {
  auto batch = batch_of({1, 2});
  predict(batch, {});
  CHECK_FALSE(batch[1].predicted);
  predict(batch, [](std::span<configuration const> all, std::span<float> scores) {
    for (std::size_t i = 0; i < all.size(); ++i) scores[i] = static_cast<float>(all[i].choices[0]) / 2;
  });
  CHECK(batch[0].predicted == 0.5);
  CHECK(batch[1].predicted == 1);
}

TEST_CASE("final comparison: the fastest wins in pairs; without pairs, only if noise cannot explain it") {
  fake_trials by;
  std::function<double()> const still = [] { return 0.0; };
  session_clock const clock(still);
  leaderboard best;
  auto const seed = taking(0, 1);
  CHECK(clear_winner(best, seed).winner == nullptr);
  CHECK(best.add(seed));
  CHECK(best.add(taking(1, 0.95)));
  auto const paired = compare_finalists(by, best, seed, 1, clock);
  REQUIRE(paired.winner);
  CHECK(paired.winner->chosen == choice(1));
  CHECK(paired.pairs.second_seconds == 0.95);
  CHECK(paired.seed_seconds == 1);
  CHECK(clear_winner(best, seed).winner == nullptr);
  CHECK(best.add(taking(2, 0.8)));
  CHECK(clear_winner(best, seed).winner->chosen == choice(2));
}
