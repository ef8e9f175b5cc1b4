// SPDX-License-Identifier: Apache-2.0
#include "ttune/model/transfer_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ttune/feature/schema.hpp"
#include "ttune/model/forest_model.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace transfer_model_tests {

using namespace ttune;

namespace {

std::size_t column(std::string const& name) {
  for (std::size_t i = 0; i < feature_count; ++i)
    if (feature_name(i) == name) return i;
  FAIL("no feature ", name);
  return 0;
}

/// A task whose time is the estimate × 2^(2 × occupancy), with sizes that have no influence.
struct made_task {
  std::vector<float> rows;
  std::vector<model_target> targets;

  made_task(std::uint64_t seed, std::size_t n, float size, double effect = 2) {
    rng random(seed);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<float> row(feature_count, 0);
      auto const estimate = std::exp2(4 * random.uniform());
      auto const occupancy = random.uniform();
      row[column("time")] = static_cast<float>(std::log2(1 + estimate));
      row[column("occupancy")] = static_cast<float>(occupancy);
      row[column("points")] = size;
      row[column("steps")] = static_cast<float>(8 * random.uniform());
      rows.insert(rows.end(), row.begin(), row.end());
      seconds.push_back(estimate * std::exp2(effect * occupancy));
    }
    auto const best = std::ranges::min(seconds);
    for (auto const s : seconds) targets.push_back({static_cast<float>(best / s), false, 0});
  }
  [[nodiscard]] feature_view view() const { return {rows.data(), targets.size(), feature_count}; }
  [[nodiscard]] double judge(transfer_model const& m) const {
    std::vector<float> scores(targets.size()), truth;
    m.predict(view(), scores);
    for (auto const& t : targets) truth.push_back(t.speed);
    return rank_correlation(scores, truth);
  }
};

transfer_model model(transfer_options options = {}) {
  return transfer_model([] { return any_cost_model(linear_model{}); }, options);
}

}  // namespace

TEST_CASE("other tasks correct the estimate without a record of the task") {
  made_task const base(1, 600, 10), own(2, 400, 20);
  auto m = model({.correction = 1});
  CHECK_FALSE(m.fitted());
  m.learn_base(base.view(), base.targets);
  CHECK(m.fitted());
  CHECK(m.base_rows() == 600);
  auto none = model({.correction = 0});
  none.learn_base(base.view(), base.targets);
  CHECK(own.judge(m) > own.judge(none) + 0.02);
  CHECK(own.judge(m) > 0.97);
}

TEST_CASE("own records correct most of the harm of wrong base rows") {
  made_task const own(2, 400, 20), misleading(3, 600, 10, -3);
  made_task const known(4, 200, 20);
  auto alone = model();
  alone.fit(known.view(), known.targets);
  auto advised = model();
  advised.learn_base(misleading.view(), misleading.targets);
  auto const before = own.judge(advised);
  advised.fit(known.view(), known.targets);
  CHECK(own.judge(advised) > before);
  CHECK(own.judge(alone) - own.judge(advised) < (own.judge(alone) - before) / 2);
}

TEST_CASE("failures only: base rows continue to be used") {
  made_task const base(1, 300, 10), own(2, 100, 20);
  auto m = model();
  m.learn_base(base.view(), base.targets);
  auto const before = own.judge(m);
  std::vector<model_target> const failures(own.targets.size(), {0, true, 0});
  auto const report = m.fit(own.view(), failures);
  CHECK(report.failures == 100);
  CHECK(own.judge(m) == before);
}

TEST_CASE("a saved transfer model predicts the same; others are refused") {
  made_task const base(1, 300, 10), known(4, 100, 20), own(2, 100, 20);
  auto m = model();
  m.learn_base(base.view(), base.targets);
  for (bool const with_own : {false, true}) {
    if (with_own) m.fit(known.view(), known.targets);
    auto const bytes = m.save();
    auto back = model();
    back.load(bytes);
    std::vector<float> a(100), b(100);
    m.predict(own.view(), a);
    back.predict(own.view(), b);
    CHECK(a == b);
    auto other = bytes;
    other[4] ^= std::byte{1};  // another list of features
    CHECK_THROWS_AS(back.load(other), argument_error);
    other.resize(40);
    CHECK_THROWS_AS(back.load(std::span(bytes).first(bytes.size() / 2)), argument_error);
    CHECK_THROWS_AS(back.load({}), argument_error);
    back.predict(own.view(), b);  // unchanged
    CHECK(a == b);
  }
}

TEST_CASE("opinions are those of the own model, with those of the joint model in the same place") {
  made_task const base(1, 300, 10), own(2, 60, 20), rest(3, 50, 20);
  transfer_model m([] { return any_cost_model(forest_model({.trees = 16})); });
  CHECK(m.opinions() == 1);
  m.learn_base(base.view(), base.targets);
  CHECK(m.opinions() == 1);  // without own rows there is one score
  m.fit(own.view(), own.targets);
  REQUIRE(m.opinions() == 16);
  std::vector<float> scores(50), each(50 * 16);
  m.predict(rest.view(), scores);
  m.predict_each(rest.view(), each);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < 16; ++k) {
      sum += each[i * 16 + k];
      differing += each[i * 16 + k] != each[i * 16] ? 1U : 0U;
    }
    CHECK(scores[i] == doctest::Approx(sum / 16));
  }
  CHECK(differing > 50);
  transfer_model linear = model();
  linear.fit(own.view(), own.targets);
  CHECK(linear.opinions() == 1);
  std::vector<float> one(50);
  linear.predict(rest.view(), scores);
  linear.predict_each(rest.view(), one);
  CHECK(one == scores);
}

TEST_CASE("rows of another length are refused") {
  std::vector<float> const row(3, 0.0F);
  std::vector<model_target> const target(1);
  auto m = model();
  CHECK_THROWS_AS(m.learn_base({row.data(), 1, 3}, target), argument_error);
  CHECK_THROWS_AS(m.fit({row.data(), 1, 3}, target), argument_error);
}

TEST_CASE("base rows are drawn where there are too many") {
  made_task const base(1, 300, 10);
  auto m = model({.most_base_rows = 50});
  m.learn_base(base.view(), base.targets);
  CHECK(m.base_rows() == 50);
}

}  // namespace transfer_model_tests
