// SPDX-License-Identifier: Apache-2.0
#include "ttune/search/candidate_ranking.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "support/landscape.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/search/bandit.hpp"

namespace candidate_ranking_tests {

using namespace ttune;
using ttune_test::landscape;
using ttune_test::search_loop;

namespace {

configuration numbered(std::int32_t i) { return {{i}}; }

std::vector<configuration> numbers(std::int32_t count) {
  std::vector<configuration> all;
  for (std::int32_t i = 0; i < count; ++i) all.push_back(numbered(i));
  return all;
}

/// Opinion k likes the configurations near 10 k.
opinion_scorer near_tens(std::size_t count) {
  return {count, [count](std::span<configuration const> batch, std::span<float> out) {
            for (std::size_t i = 0; i < batch.size(); ++i)
              for (std::size_t k = 0; k < count; ++k)
                out[i * count + k] = -std::abs(static_cast<float>(batch[i].choices[0]) - 10 * static_cast<float>(k));
          }};
}

std::vector<std::int32_t> sorted(std::vector<configuration> const& batch) {
  std::vector<std::int32_t> all;
  for (auto const& c : batch) all.push_back(c.choices[0]);
  std::ranges::sort(all);
  return all;
}

/// Asks all opinions about all configurations below 100.
std::vector<configuration> ask(opinion_scorer const& opinions, configuration_set const& visited, std::size_t wanted,
                               std::uint64_t seed = 1) {
  batch_scorer const score = [](auto, auto out) { std::ranges::fill(out, 0.0F); };
  search_request const request{wanted, visited, score, {}, &opinions};
  rng random(seed);
  detail::candidate_ranking best(request, {}, wanted, random);
  std::vector<float> scores;
  best.score(numbers(100), scores);
  CHECK(best.evaluations() == 100);
  return best.take(1);
}

}  // namespace

TEST_CASE("each opinion takes its own best, then its next one") {
  configuration_set visited;
  CHECK(sorted(ask(near_tens(4), visited, 4)) == std::vector<std::int32_t>{0, 10, 20, 30});
  visited.insert(numbered(10));
  auto const next = sorted(ask(near_tens(2), visited, 4));
  CHECK(next[0] == 0);
  CHECK(next[1] == 1);
  CHECK((next[2] == 9 || next[2] == 11));
  CHECK(next.size() == 4);
  CHECK(ask(near_tens(8), visited, 3).size() == 3);  // fewer slots than opinions
  CHECK(ask(near_tens(1), visited, 0).empty());
}

TEST_CASE("opinions that agree do not take the same twice") {
  opinion_scorer const same{16, [](std::span<configuration const> batch, std::span<float> out) {
                              for (std::size_t i = 0; i < out.size(); ++i)
                                out[i] = static_cast<float>(batch[i / 16].choices[0]);
                            }};
  auto const batch = sorted(ask(same, {}, 8));
  REQUIRE(batch.size() == 8);
  for (std::int32_t i = 0; i < 8; ++i) CHECK(batch[static_cast<std::size_t>(i)] == 92 + i);
}

TEST_CASE("ties are broken by chance, otherwise for each opinion, the same for one seed") {
  opinion_scorer const flat{8, [](auto, std::span<float> out) { std::ranges::fill(out, 1.0F); }};
  auto const one = ask(flat, {}, 8, 1), again = ask(flat, {}, 8, 1), other = ask(flat, {}, 8, 2);
  CHECK(configuration_set(one.begin(), one.end()).size() == 8);
  CHECK(one == again);
  CHECK(sorted(one) != sorted(other));
  CHECK(sorted(one) != std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("position i has the score of one opinion, and broken scores do no harm") {
  opinion_scorer const some{3, [](std::span<configuration const>, std::span<float> out) {
                              for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(i % 3);
                              out[16] = std::numeric_limits<float>::quiet_NaN();
                            }};
  batch_scorer const score;
  search_request const request{3, {}, score, {}, &some};
  rng random(1);
  detail::candidate_ranking best(request, {}, 3, random);
  std::vector<float> scores;
  best.score(numbers(6), scores);
  std::ranges::sort(scores.begin(), scores.begin() + 3);
  CHECK(scores[0] == 0);
  CHECK(scores[1] == 1);
  CHECK(scores[2] == 2);
  CHECK(best.changes() > 0);
  CHECK(best.take(1).size() == 3);
  CHECK(best.best() == 2);
}

TEST_CASE("without opinions the best scores are taken, the first one of a tie") {
  batch_scorer const halves = [](std::span<configuration const> batch, std::span<float> out) {
    for (std::size_t i = 0; i < batch.size(); ++i) out[i] = static_cast<float>(batch[i].choices[0] / 2);
  };
  configuration_set const visited{numbered(18)};
  search_request const request{3, visited, halves, {}};
  rng random(1);
  detail::candidate_ranking best(request, {}, 3, random);
  std::vector<float> scores;
  best.score(numbers(20), scores);
  CHECK(scores[7] == 3);
  CHECK(best.take(1) == std::vector<configuration>{numbered(19), numbered(16), numbered(17)});
}

TEST_CASE("annealing: a batch has the optimum of each opinion, by chains and in small spaces") {
  for (int const extent : {512, 16}) {
    landscape const land(extent);
    // Each opinion has its own unrolling and packing; otherwise they agree.
    opinion_scorer const opinions{8, [&land](std::span<configuration const> batch, std::span<float> out) {
                                    for (std::size_t i = 0; i < batch.size(); ++i)
                                      for (std::int32_t k = 0; k < 8; ++k) {
                                        auto const& c = batch[i].choices;
                                        bool const liked = c[3] == k / 2 && c[4] == k % 2;
                                        out[i * 8 + static_cast<std::size_t>(k)] =
                                            static_cast<float>(std::log(land.speed(batch[i]))) - (liked ? 0.0F : 9.0F);
                                      }
                                  }};
    auto const score = land.scorer();
    for (bool const alone : {true, false}) {
      annealing search({.exploration = 0});
      bandit_search arms({any_search(annealing({.exploration = 0}))});
      search_strategy& strategy = alone ? static_cast<search_strategy&>(search) : arms;
      strategy.start(land.space(), 1);
      configuration_set const visited;
      auto const batch = strategy.propose({8, visited, score, {}, &opinions});
      REQUIRE(batch.size() == 8);
      std::vector<int> kinds;
      for (auto const& c : batch) kinds.push_back(2 * c.choices[3] + c.choices[4]);
      std::ranges::sort(kinds);
      CHECK(kinds == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
      if (alone) CHECK(search.last_round().evaluations > 0);
    }
  }
}

TEST_CASE("annealing with opinions is reproducible, and proposes new configurations only") {
  landscape const land;
  std::vector<std::vector<configuration>> orders;
  opinion_scorer const opinions{5, [](std::span<configuration const> batch, std::span<float> out) {
                                  for (std::size_t i = 0; i < out.size(); ++i)
                                    out[i] = static_cast<float>((hash_of(batch[i / 5]) >> (i % 5)) % 7);
                                }};
  auto const score = land.scorer();
  for (std::uint64_t const seed : {5U, 5U, 6U}) {
    annealing search({.chains = 32, .steps = 60});
    search.start(land.space(), seed);
    configuration_set visited;
    std::vector<configuration> order;
    for (int round = 0; round < 3; ++round)
      for (auto& c : search.propose({20, visited, score, {}, &opinions})) {
        CHECK(land.space().valid(c));
        CHECK(visited.insert(c).second);
        order.push_back(std::move(c));
      }
    CHECK(order.size() == 60);
    orders.push_back(std::move(order));
  }
  CHECK(orders[0] == orders[1]);
  CHECK(orders[0] != orders[2]);
}

}  // namespace candidate_ranking_tests
