// SPDX-License-Identifier: Apache-2.0
#include "ttune/model/forest_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "support/seed.hpp"
#include "support/synthetic_speed.hpp"
#include "ttune/support/error.hpp"

namespace forest_model_tests {

using namespace ttune;
using ttune_test::synthetic_data;
using ttune_test::synthetic_set;

namespace {

std::vector<float> each_of(forest_model const& model, synthetic_set const& data) {
  std::vector<float> scores(data.targets.size() * model.opinions());
  model.predict_each(data.features(), scores);
  return scores;
}

}  // namespace

TEST_CASE("the forest ranks what is far from linear, and knows failures") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=" << seed);
  auto const train = synthetic_data(400, seed, 1), test = synthetic_data(400, seed + 1, 1);
  forest_model model;
  CHECK(!model.fitted());
  auto const report = model.fit(train.features(), train.targets);
  CHECK(model.fitted());
  CHECK(report.rows == 400);
  CHECK(report.held_out > 40);
  CHECK(report.rank_correlation > 0.6);
  CHECK(report.failures == static_cast<std::size_t>(std::ranges::count(train.targets, true, &model_target::failed)));
  auto const scores = test.predicted_by(model);
  CHECK(test.rank_correlation_of(scores) > 0.7);
  CHECK(test.failures_below(scores) > 0.85);
}

TEST_CASE("trees are fully grown: each knows the rows that it learned") {
  auto const data = synthetic_data(150, 3);
  forest_model model({.trees = 8});
  model.fit(data.features(), data.targets);
  CHECK(model.opinions() == 8);
  auto const each = each_of(model, data);
  for (std::size_t i = 0; i < data.targets.size(); ++i)
    for (std::size_t k = 0; k < 8; ++k) CHECK(each[i * 8 + k] == doctest::Approx(data.targets[i].speed));
}

TEST_CASE("trees differ elsewhere; the score is their mean, an opinion that of some of them") {
  auto const train = synthetic_data(150, 3), test = synthetic_data(99, 4);
  forest_model model({.trees = 12}), pairs({.trees = 12, .trees_per_opinion = 2});
  model.fit(train.features(), train.targets);
  pairs.fit(train.features(), train.targets);
  CHECK(pairs.opinions() == 6);
  auto const scores = test.predicted_by(model), each = each_of(model, test), of_two = each_of(pairs, test);
  CHECK(test.predicted_by(pairs) == scores);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    auto const own = std::span(each).subspan(i * 12, 12);
    float sum = 0;
    for (auto const s : own) sum += s;
    CHECK(scores[i] == doctest::Approx(sum / 12));
    for (std::size_t k = 0; k < 6; ++k) CHECK(of_two[i * 6 + k] == doctest::Approx((own[2 * k] + own[2 * k + 1]) / 2));
    differing += std::set<float>(own.begin(), own.end()).size() > 3 ? 1U : 0U;
  }
  CHECK(differing > scores.size() / 2);
}

TEST_CASE("the same seed gives the same forest, another seed another one") {
  auto const train = synthetic_data(100, 3), test = synthetic_data(50, 4);
  std::vector<std::vector<float>> scores;
  for (std::uint64_t const seed : {1U, 1U, 2U}) {
    forest_model model({.seed = seed});
    model.fit(test.features(), test.targets);  // is forgotten
    model.fit(train.features(), train.targets);
    scores.push_back(test.predicted_by(model));
  }
  CHECK(scores[0] == scores[1]);
  CHECK(scores[0] != scores[2]);
}

TEST_CASE("weights count: a row without weight changes no leaf that other rows share") {
  std::vector<float> const rows{1, 1, 1, 2};
  std::vector<model_target> const targets{{.5F, false, 0, 1}, {1, false, 0, 3}, {0, true, 0, 0}, {.25F, false, 0, 1}};
  forest_model model({.held_out = 0});
  model.fit({rows.data(), 4, 1}, targets);
  std::vector<float> scores(2);
  model.predict({rows.data() + 2, 2, 1}, scores);
  CHECK(scores[0] == doctest::Approx(.875));
  CHECK(scores[1] == doctest::Approx(.25));
}

TEST_CASE("a saved forest predicts the same; damaged bytes are refused") {
  auto const data = synthetic_data(100, 5);
  forest_model model, copy;
  model.fit(data.features(), data.targets);
  auto bytes = model.save();
  copy.load(bytes);
  CHECK(data.predicted_by(copy) == data.predicted_by(model));
  CHECK(each_of(copy, data) == each_of(model, data));
  CHECK_THROWS_AS(copy.load(std::span(bytes).first(bytes.size() - 1)), argument_error);
  CHECK_THROWS_AS(copy.load(std::span(bytes).subspan(1)), argument_error);
  CHECK_THROWS_AS(forest_model({.trees = 32}).load(bytes), argument_error);
  for (std::size_t i = 0; i + 8 < bytes.size(); i += 97) {  // whatever loads ends, and reads within its rows
    auto damaged = bytes;
    damaged[i] ^= std::byte{0x55};
    forest_model other;
    try {
      other.load(damaged);
    } catch (argument_error const&) {
      continue;
    }
    if (other.fitted()) {
      auto const scores = data.predicted_by(other);
      CHECK(std::ranges::all_of(scores, [](float s) { return std::isfinite(s); }));
    }
  }
  CHECK(data.predicted_by(copy) == data.predicted_by(model));
  forest_model const nothing;
  copy.load(nothing.save());
  CHECK(!copy.fitted());
  std::vector<float> scores(1);
  CHECK_THROWS_WITH_AS(model.predict({data.values.data(), 1, 3}, scores),
                       "the forest model was fitted with 8 features, 3 are given", argument_error);
}

TEST_CASE("poor data give a constant, not an error") {
  forest_model model;
  std::vector<float> const row{1, 2, 3}, same{1, 2, 3, 1, 2, 3};
  std::vector<float> scores(2), each(2 * model.opinions(), 7);
  model.predict({same.data(), 2, 3}, scores);
  model.predict_each({same.data(), 2, 3}, each);
  CHECK(scores[0] == 0);
  CHECK(std::ranges::all_of(each, [](float s) { return s == 0; }));
  model.fit({row.data(), 1, 3}, std::vector<model_target>{{1, false, 0}});
  model.predict({same.data(), 2, 3}, scores);
  CHECK((scores[0] == 1 && scores[1] == 1));
  model.fit({same.data(), 2, 3}, std::vector<model_target>{{0, true, 0}, {0, true, 0}});
  model.predict({same.data(), 2, 3}, scores);
  CHECK((scores[0] == 0 && scores[1] == 0));
  model.fit({same.data(), 0, 3}, {});
}

TEST_CASE("values at the ends of the range of floats are split as others are") {
  auto const most = std::numeric_limits<float>::max();
  std::vector<float> const rows{-most, most, 0, std::nextafter(0.0F, 1.0F)};
  std::vector<model_target> const targets{{.1F, false, 0}, {.2F, false, 0}, {.3F, false, 0}, {.4F, false, 0}};
  forest_model model({.held_out = 0});
  model.fit({rows.data(), 4, 1}, targets);
  std::vector<float> scores(4);
  model.predict({rows.data(), 4, 1}, scores);
  for (std::size_t i = 0; i < 4; ++i) CHECK(scores[i] == doctest::Approx(targets[i].speed));
}

TEST_CASE("options without meaning are refused") {
  CHECK_THROWS_AS(forest_model({.trees = 0}), argument_error);
  CHECK_THROWS_AS(forest_model({.column_share = 0}), argument_error);
  CHECK_THROWS_AS(forest_model({.column_share = 1.1}), argument_error);
  CHECK_THROWS_AS(forest_model({.trees = 64, .trees_per_opinion = 5}), argument_error);
  CHECK_THROWS_AS(forest_model({.trees_per_opinion = 0}), argument_error);
}

}  // namespace forest_model_tests
