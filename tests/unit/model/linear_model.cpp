// SPDX-License-Identifier: Apache-2.0
#include "ttune/model/linear_model.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/seed.hpp"
#include "support/synthetic_speed.hpp"
#include "ttune/support/error.hpp"

namespace linear_model_tests {

using namespace ttune;
using ttune_test::synthetic_data;

TEST_CASE("rank correlation and recall") {
  std::vector<float> const up{1, 2, 3, 4}, down{4, 3, 2, 1}, ties{1, 1, 2, 2}, flat{5, 5, 5, 5};
  CHECK(rank_correlation(up, up) == doctest::Approx(1));
  CHECK(rank_correlation(up, down) == doctest::Approx(-1));
  CHECK(rank_correlation(up, ties) == doctest::Approx(0.894427));
  CHECK(std::isnan(rank_correlation(up, flat)));
  CHECK(std::isnan(rank_correlation({}, {})));
  CHECK(top_recall(up, up, 1, 1) == 1);
  CHECK(top_recall(down, up, 2, 2) == 0);
  CHECK(top_recall(down, up, 2, 4) == 1);
}

TEST_CASE("groups are judged apart") {
  fit_report report;
  std::vector<float> const scores{1, 2, 3, 3, 2, 1};
  std::vector<model_target> const targets{{.1F, false, 0}, {.2F, false, 0}, {.3F, false, 0},
                                          {1.F, false, 1}, {.9F, false, 1}, {.8F, false, 1}};
  judge(scores, targets, report);
  CHECK(report.rank_correlation == doctest::Approx(1));
  CHECK(report.held_out == 6);
}

TEST_CASE("the linear model ranks what is nearly linear, and optima inside") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=" << seed);
  auto const train = synthetic_data(400, seed), test = synthetic_data(400, seed + 1);
  linear_model model;
  CHECK(!model.fitted());
  auto const report = model.fit(train.features(), train.targets);
  CHECK(report.rows == 400);
  CHECK(report.held_out > 40);
  CHECK(report.rank_correlation > 0.7);
  CHECK(report.top_recall > 0.5);
  auto const scores = test.predicted_by(model);
  CHECK(test.rank_correlation_of(scores) > 0.7);
  CHECK(test.failures_below(scores) > 0.85);
}

TEST_CASE("a saved linear model predicts the same") {
  auto const data = synthetic_data(200, 5);
  linear_model model, copy;
  model.fit(data.features(), data.targets);
  auto const bytes = model.save();
  copy.load(bytes);
  CHECK(data.predicted_by(copy) == data.predicted_by(model));
  CHECK_THROWS_AS(copy.load(std::span(bytes).first(bytes.size() - 1)), argument_error);
  CHECK_THROWS_AS(copy.load(std::span(bytes).subspan(1)), argument_error);
  CHECK(data.predicted_by(copy) == data.predicted_by(model));
  std::vector<float> scores(1);
  CHECK_THROWS_WITH_AS(model.predict({data.values.data(), 1, 3}, scores),
                       "the linear model was fitted with 8 features, 3 are given", argument_error);
}

TEST_CASE("poor data give a constant, not an error") {
  linear_model model;
  std::vector<float> const row{1, 2, 3}, same{1, 2, 3, 1, 2, 3};
  std::vector<float> scores(2);
  model.fit({row.data(), 1, 3}, std::vector<model_target>{{1, false, 0}});
  model.predict({same.data(), 2, 3}, scores);
  CHECK(scores[0] == scores[1]);
  model.fit({same.data(), 2, 3}, std::vector<model_target>{{0, true, 0}, {0, true, 0}});
  model.predict({same.data(), 2, 3}, scores);
  CHECK((std::isfinite(scores[0]) && scores[0] == scores[1]));
  model.fit({same.data(), 2, 3}, std::vector<model_target>{{1, false, 0}, {1, false, 0}});
  model.predict({same.data(), 2, 3}, scores);
  CHECK((std::isfinite(scores[0]) && scores[0] == scores[1]));
  model.fit({nullptr, 0, 3}, {});
}

TEST_CASE("rows with a small weight have a small effect") {
  rng random(3);
  std::vector<float> rows;
  std::vector<model_target> targets;
  for (int i = 0; i < 400; ++i) {  // half of the rows say that speed rises with x, half that it falls
    auto const x = static_cast<float>(random.uniform());
    rows.push_back(x);
    bool const rises = i % 2 == 0;
    targets.push_back({0.1F + 0.9F * (rises ? x : 1 - x), false, 0, rises ? 1.0F : 0.05F});
  }
  std::vector<float> const asked = {0.1F, 0.9F};
  std::vector<float> scores(2);
  linear_model m;
  m.fit({rows.data(), targets.size(), 1}, targets);
  m.predict({asked.data(), 2, 1}, scores);
  CHECK(scores[0] < scores[1]);
  for (auto& t : targets) t.weight = 1.05F - t.weight;
  m.fit({rows.data(), targets.size(), 1}, targets);
  m.predict({asked.data(), 2, 1}, scores);
  CHECK(scores[0] > scores[1]);
}

}  // namespace linear_model_tests
