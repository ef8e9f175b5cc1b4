// SPDX-License-Identifier: Apache-2.0
#include "ttune/models/xgboost.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "support/seed.hpp"
#include "support/synthetic_speed.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/support/error.hpp"

namespace xgboost_tests {

using namespace ttune;
using ttune_test::synthetic_data;

TEST_CASE("boosted trees beat the linear model where the truth has kinks") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=" << seed);
  auto const train = synthetic_data(1000, seed, 1), test = synthetic_data(1000, seed + 1, 1);
  xgboost trees;
  linear_model line;
  auto const report = trees.fit(train.features(), train.targets);
  line.fit(train.features(), train.targets);
  auto const by_trees = test.predicted_by(trees);
  CHECK(report.rank_correlation > 0.85);
  CHECK(report.top_recall > 0.5);
  CHECK(report.rounds > 0);
  CHECK(test.rank_correlation_of(by_trees) > 0.9);
  CHECK(test.rank_correlation_of(by_trees) > test.rank_correlation_of(test.predicted_by(line)) + 0.05);
  CHECK(test.failures_below(by_trees) > 0.97);
}

TEST_CASE("the rank objective ranks") {
  auto const train = synthetic_data(600, 3, 1), test = synthetic_data(600, 4, 1);
  xgboost model({.objective = xgboost_options::target::rank});
  CHECK(model.name() == "xgboost-rank");
  model.fit(train.features(), train.targets);
  CHECK(test.rank_correlation_of(test.predicted_by(model)) > 0.65);
  CHECK(test.failures_below(test.predicted_by(model)) > 0.9);
}

TEST_CASE("groups are ranked among themselves") {
  auto train = synthetic_data(600, 3, 1);
  auto const test = synthetic_data(600, 4, 1);
  for (std::size_t i = 0; i < 600; ++i) {
    train.targets[i].group = static_cast<std::int32_t>(i % 3);
    train.targets[i].speed *= i % 3 == 0 ? 0.2F : 1;  // the scale of another task must not matter
  }
  xgboost model({.objective = xgboost_options::target::rank});
  CHECK(model.fit(train.features(), train.targets).rank_correlation > 0.5);
  CHECK(test.rank_correlation_of(test.predicted_by(model)) > 0.6);
}

TEST_CASE("a saved xgboost model predicts the same") {
  auto const data = synthetic_data(300, 5, 1);
  xgboost model, copy;
  model.fit(data.features(), data.targets);
  auto const bytes = model.save();
  copy.load(bytes);
  CHECK(data.predicted_by(copy) == data.predicted_by(model));
  CHECK_THROWS_AS(copy.load(std::span(bytes).first(bytes.size() / 2)), argument_error);
  CHECK_THROWS_AS(copy.load(std::span(bytes).subspan(1)), argument_error);
  CHECK_THROWS_AS(copy.load(linear_model().save()), argument_error);
  auto broken = bytes;  // any byte may be wrong: the model is refused or read, but no access leaves its memory
  rng random(ttune_test::seed());
  for (int i = 0; i < 300; ++i) {
    auto const at = random.below(broken.size());
    auto const before = std::exchange(broken[at], static_cast<std::byte>(random()));
    try {
      copy.load(broken);
      (void)data.predicted_by(copy);
    } catch (error const&) {
    }
    broken[at] = before;
  }
}

TEST_CASE("the same seed fits the same model") {
  auto const data = synthetic_data(200, 6, 1);
  xgboost a({.seed = 7}), b({.seed = 7}), c({.seed = 8});
  for (auto* model : {&a, &b, &c}) model->fit(data.features(), data.targets);
  CHECK(a.save() == b.save());
  CHECK(a.save() != c.save());
}

TEST_CASE("one row predicts as in a batch") {
  auto const data = synthetic_data(101, 7, 1);
  xgboost model;
  model.fit(data.features(), data.targets);
  auto const together = data.predicted_by(model);
  for (std::size_t i = 0; i < together.size(); ++i) {
    std::vector<float> alone(1);
    model.predict({data.features().row(i), 1, data.columns}, alone);
    CHECK(alone[0] == together[i]);
  }
}

TEST_CASE("poor data give a constant, not an error") {
  xgboost model;
  std::vector<float> const same{1, 2, 3, 1, 2, 3};
  std::vector<float> scores(2, 9);
  model.predict({same.data(), 2, 3}, scores);
  CHECK(scores[0] == 0);
  model.fit({nullptr, 0, 3}, {});
  CHECK(!model.fitted());
  for (auto const& targets : {std::vector<model_target>{{1, false, 0}, {1, false, 0}},
                              std::vector<model_target>{{0, true, 0}, {0, true, 0}}}) {
    model.fit({same.data(), 2, 3}, targets);
    model.predict({same.data(), 2, 3}, scores);
    CHECK((std::isfinite(scores[0]) && scores[0] == scores[1]));
  }
  model.fit({same.data(), 1, 3}, std::vector<model_target>{{1, false, 0}});
  CHECK(model.fitted());
  std::vector<float> one(1);
  CHECK_THROWS_AS(model.predict({same.data(), 1, 2}, one), argument_error);
}

TEST_CASE("any_cost_model owns a model of any kind") {
  any_cost_model model = xgboost{};
  CHECK(model->name() == "xgboost");
  model = linear_model{};
  CHECK(model->name() == "linear");
  CHECK(!any_cost_model{});
  CHECK(xgboost::library_availability());
  CHECK(xgboost::library_version().find('.') != std::string::npos);
}

TEST_SUITE("threads") {
  TEST_CASE("many threads predict with one model") {
    auto const data = synthetic_data(500, 8, 1);
    xgboost model;
    model.fit(data.features(), data.targets);
    auto const expected = data.predicted_by(model);
    std::vector<int> same(4);
    std::vector<std::thread> threads;
    for (auto& s : same) threads.emplace_back([&] { s = data.predicted_by(model) == expected; });
    for (auto& t : threads) t.join();
    CHECK(same == std::vector<int>(4, 1));
  }
}

}  // namespace xgboost_tests
