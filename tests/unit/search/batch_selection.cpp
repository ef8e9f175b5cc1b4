// SPDX-License-Identifier: Apache-2.0
#include "ttune/search/batch_selection.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/seed.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace batch_selection_tests {

using namespace ttune;

TEST_CASE("the share of random slots does not depend on the batch size") {
  for (double const share : {0.0, 0.05, 0.1, 0.33, 1.0})
    for (std::size_t const batch : {1U, 3U, 8U, 20U, 48U, 64U, 128U}) {
      exploration_plan plan(share);
      std::size_t random = 0, slots = 0;
      while (slots < 1000) {
        auto const next = plan.next(batch);
        CHECK(next.size() == batch);
        random += static_cast<std::size_t>(std::count(next.begin(), next.end(), true));
        slots += batch;
        CHECK(random == static_cast<std::size_t>(std::floor(share * static_cast<double>(slots) + 1e-9)));
      }
    }
}

TEST_CASE("random slots are spread over the batch") {
  auto const slots = exploration_plan(0.1).next(64);
  CHECK(std::count(slots.begin(), slots.end(), true) == 6);
  int since = 0;
  for (bool const slot : slots) {
    since = slot ? 0 : since + 1;
    CHECK(since < 10);
  }
}

TEST_CASE("shares must be between 0 and 1") {
  CHECK_THROWS_AS(exploration_plan(-0.1), argument_error);
  CHECK_THROWS_AS(exploration_plan(1.5), argument_error);
  CHECK_THROWS_AS(exploration_plan(std::nan("")), argument_error);
}

TEST_CASE("without diversity the best are taken, best first") {
  std::vector<configuration> const candidates{{{0, 0}}, {{0, 1}}, {{1, 0}}, {{1, 1}}};
  std::vector<float> const scores{0.1F, 0.9F, 0.5F, 0.7F};
  CHECK(select_diverse(candidates, scores, 3, 0) == std::vector<std::size_t>{1, 3, 2});
  CHECK(select_diverse(candidates, scores, 9, 0).size() == 4);
  CHECK(select_diverse({}, {}, 3, 0).empty());
}

TEST_CASE("diversity trades score for new knob values") {
  std::vector<configuration> const candidates{{{0, 0}}, {{0, 1}}, {{0, 2}}, {{5, 5}}};
  std::vector<float> const scores{1.0F, 0.99F, 0.98F, 0.9F};  // spread .039: the last is 2.6 spreads behind
  CHECK(select_diverse(candidates, scores, 2, 0.1) == std::vector<std::size_t>{0, 1});
  CHECK(select_diverse(candidates, scores, 2, 10) == std::vector<std::size_t>{0, 3});
}

TEST_CASE("lazy selection is greedy selection") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=" << seed);
  rng random(seed);
  for (int round = 0; round < 50; ++round) {
    std::vector<configuration> candidates;
    std::vector<float> scores;
    double sum = 0, squares = 0;
    for (int i = 0; i < 40; ++i) {
      configuration c;
      for (int k = 0; k < 4; ++k) c.choices.push_back(static_cast<std::int32_t>(random.below(4)));
      candidates.push_back(c);
      scores.push_back(static_cast<float>(random.uniform()));
      sum += static_cast<double>(scores.back());
      squares += static_cast<double>(scores.back()) * static_cast<double>(scores.back());
    }
    auto const spread = std::sqrt(squares / 40 - sum / 40 * sum / 40);
    auto const picked = select_diverse(candidates, scores, 12, 0.8);
    std::vector<std::size_t> left(40);
    for (std::size_t i = 0; i < 40; ++i) left[i] = i;
    std::vector<std::vector<bool>> covered(4, std::vector<bool>(4));
    for (auto const p : picked) {  // no remaining candidate gains more
      auto const gain = [&](std::size_t i) {
        int fresh = 0;
        for (std::size_t k = 0; k < 4; ++k)
          fresh += covered[k][static_cast<std::size_t>(candidates[i].choices[k])] ? 0 : 1;
        return static_cast<double>(scores[i]) / spread + 0.8 * fresh / 4;
      };
      for (auto const other : left) CHECK(gain(other) <= gain(p) + 1e-9);
      left.erase(std::find(left.begin(), left.end(), p));
      for (std::size_t k = 0; k < 4; ++k) covered[k][static_cast<std::size_t>(candidates[p].choices[k])] = true;
    }
  }
}

TEST_CASE("near duplicates of picked candidates come later") {
  std::vector<configuration> const candidates{{{0, 0, 0}}, {{0, 0, 1}}, {{0, 1, 1}}, {{2, 2, 2}}};
  std::vector<float> const scores{1.0F, 0.9F, 0.8F, 0.7F};
  CHECK(select_spread(candidates, scores, 4, 0, 0.1) == std::vector<std::size_t>{0, 1, 2, 3});
  // .9 - .1 × 4/9 and .8 - .1 × 1/9 stay ahead of .7; with .9 - .6 × 4/9 and .8 - .6 × 1/9 they do not
  CHECK(select_spread(candidates, scores, 2, 1, 0.1) == std::vector<std::size_t>{0, 1});
  CHECK(select_spread(candidates, scores, 4, 6, 0.1) == std::vector<std::size_t>{0, 2, 3, 1});
  CHECK(select_spread(candidates, scores, 3, 20, 0.1) == std::vector<std::size_t>{0, 3, 2});
  CHECK(select_spread(candidates, scores, 9, 6, 0.1).size() == 4);
  CHECK(select_spread({}, {}, 3, 1, 0.1).empty());
}

}  // namespace batch_selection_tests
