// SPDX-License-Identifier: Apache-2.0
#include "ttune/model/ensemble_model.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "ttune/feature/schema.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ensemble_model_tests {

using namespace ttune;

namespace {

ensemble_model lines(ensemble_options options = {}) {
  return ensemble_model([](std::uint64_t) { return any_cost_model(linear_model{}); }, options);
}

/// speed = x / 10 with x in 0 … `most`, and a column of noise.
struct slope {
  std::vector<float> rows;
  std::vector<model_target> targets;

  explicit slope(double most, std::size_t n = 200) {
    rng random(3);
    for (std::size_t i = 0; i < n; ++i) {
      auto const x = most * random.uniform();
      auto const noise = random.uniform();
      rows.insert(rows.end(), {static_cast<float>(x), static_cast<float>(noise)});
      targets.push_back({static_cast<float>(x / 10 + 0.02 * noise), false, 0});
    }
  }
  [[nodiscard]] feature_view view() const { return {rows.data(), targets.size(), 2}; }
};

}  // namespace

TEST_CASE("an ensemble ranks, and is validated with the rows that its members did not draw") {
  slope const s(10);
  auto m = lines();
  auto const report = m.fit(s.view(), s.targets);
  CHECK(report.rows == 200);
  CHECK(report.held_out > 100);  // (1 - 1/n)^n of the rows, for each of four members
  CHECK(report.held_out < 200);
  CHECK(report.rank_correlation > 0.95);
  std::vector<float> scores(200), truth;
  m.predict(s.view(), scores);
  for (auto const& t : s.targets) truth.push_back(t.speed);
  CHECK(rank_correlation(scores, truth) > 0.95);
}

TEST_CASE("members disagree more about points far from the rows; optimism adds this to the score") {
  slope const s(1);
  auto m = lines({.members = 8, .optimism = 2});
  m.fit(s.view(), s.targets);
  float const asked[] = {0.5F, 0.5F, 9.0F, 30.0F};
  float mean[2], spread[2], score[2];
  m.predict({asked, 2, 2}, mean, spread);
  CHECK(spread[0] > 0);
  CHECK(spread[1] > 2 * spread[0]);
  m.predict({asked, 2, 2}, std::span<float>(score));
  for (int i = 0; i < 2; ++i) CHECK(score[i] == doctest::Approx(mean[i] + 2 * spread[i]));
}

TEST_CASE("before the first fit an ensemble uses the estimate, if the rows have one") {
  auto const m = lines();
  CHECK(m.fitted());
  CHECK_FALSE(lines({.by_estimate = false}).fitted());
  std::vector<float> rows(2 * feature_count);
  auto const time = detail::feature_index("time");
  rows[time] = 3;
  rows[feature_count + time] = 5;
  float score[2];
  m.predict({rows.data(), 2, feature_count}, std::span<float>(score));
  CHECK(score[0] > score[1]);
  m.predict({rows.data(), 2, 4}, std::span<float>(score));
  CHECK(score[0] == 0);
  CHECK(score[1] == 0);
}

TEST_CASE("poor data give an ensemble that predicts a constant, not an error") {
  auto m = lines();
  float const row[] = {1, 2};
  model_target const target{1, false, 0};
  CHECK(m.fit({row, 1, 2}, std::span(&target, 1)).held_out == 0);
  float score[1];
  m.predict({row, 1, 2}, std::span<float>(score));
  CHECK(std::isfinite(score[0]));
  slope s(10, 40);
  for (auto& t : s.targets) t = {0, true, 0};  // failures only
  CHECK(m.fit(s.view(), s.targets).failures == 40);
  for (auto& t : s.targets) t = {1, false, 0};  // all are equal
  m.fit(s.view(), s.targets);
  std::vector<float> scores(40);
  m.predict(s.view(), scores);
  for (auto const x : scores) CHECK(std::isfinite(x));
}

TEST_CASE("a saved ensemble predicts the same; other bytes are refused") {
  slope const s(10);
  auto m = lines();
  m.fit(s.view(), s.targets);
  auto const bytes = m.save();
  auto other = lines();
  other.load(bytes);
  std::vector<float> a(200), b(200);
  m.predict(s.view(), a);
  other.predict(s.view(), b);
  CHECK(a == b);
  auto cut = bytes;
  cut.resize(bytes.size() / 2);
  CHECK_THROWS_AS(other.load(cut), argument_error);
  CHECK_THROWS_AS(other.load(linear_model{}.save()), argument_error);
  other.predict(s.view(), b);
  CHECK(a == b);  // unchanged
  CHECK_THROWS_AS(lines({.members = 1}), argument_error);
}

}  // namespace ensemble_model_tests
