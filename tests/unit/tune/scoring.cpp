// SPDX-License-Identifier: Apache-2.0
#include "ttune/tune/scoring.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "ttune/model/forest_model.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace scoring_tests {

using namespace ttune;

namespace {

target gpu() {
  target t;
  t.name = "gpu";
  t.vector_bytes = 128;
  t.vector_registers = 255;
  t.cores = 28;
  t.l1_bytes = 48 << 10;
  return t;
}

/// A model whose score is the sum of the row, so that every feature matters.
class sum_model final : public cost_model {
 public:
  [[nodiscard]] std::string name() const override { return "sum"; }
  fit_report fit(feature_view, std::span<model_target const>) override { return {}; }
  [[nodiscard]] bool fitted() const noexcept override { return true; }
  void predict(feature_view features, std::span<float> scores) const override {
    if (broken) throw argument_error("broken");
    for (std::size_t i = 0; i < features.rows; ++i)
      scores[i] = std::accumulate(features.row(i), features.row(i) + features.columns, 0.0F);
  }
  [[nodiscard]] std::vector<std::byte> save() const override { return {}; }
  void load(std::span<std::byte const>) override {}
  bool broken = false;
};

struct convolution {
  workload of{ops::cuda_conv2d_template({1, 32, 14, 14, 32, 3, 1, 1}), gpu()};
  std::vector<configuration> candidates;

  /// Neighbours in the space's order share their nest; random configurations are between such runs.
  convolution() {
    rng random(5);
    auto const size = static_cast<std::uint64_t>(of.sampler().size().count);
    for (int run = 0; run < 40; ++run) {
      auto const first = random.below(size - 20);
      for (std::uint64_t i = 0; i < 20; ++i) candidates.push_back(of.sampler().unrank(first + i));
    }
  }
};

}  // namespace

TEST_CASE("features are the same whether or not the configuration before had the same nest") {
  convolution const c;
  std::vector<float> together, alone;
  c.of.featurise(c.candidates, together);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < c.candidates.size(); ++i) {
    alone.clear();
    c.of.featurise(std::span(&c.candidates[i], 1), alone);
    differing +=
        std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(i * alone.size())) ? 0U
                                                                                                                 : 1U;
  }
  CHECK(differing == 0);
  feature_extractor const e(c.of.plan(), c.of.machine());
  CHECK(e.same_nest(c.candidates[0], c.candidates[1]));  // the last knob sets unrolling only
}

TEST_CASE("scores are the same on any executor, in the order of the candidates") {
  convolution const c;
  sum_model const model;
  std::vector<float> rows, one(c.candidates.size()), four(c.candidates.size()), expected(c.candidates.size());
  c.of.featurise(c.candidates, rows);
  model.predict({rows.data(), c.candidates.size(), c.of.feature_count()}, expected);
  serial_executor serial;
  thread_pool pool(4);
  score_candidates(c.of, model, serial, c.candidates, one);
  score_candidates(c.of, model, pool, c.candidates, four);
  CHECK(one == expected);
  CHECK(four == expected);
  score_candidates(c.of, model, pool, std::span(c.candidates).first(0), std::span(four).first(0));
  score_candidates(c.of, model, pool, std::span(c.candidates).first(1), std::span(four).first(1));
  CHECK(four[0] == expected[0]);
}

TEST_CASE("scores by each opinion are beside each other") {
  convolution const c;
  forest_model model({.trees = 6, .held_out = 0});
  std::vector<float> rows;
  c.of.featurise(c.candidates, rows);
  feature_view const view{rows.data(), c.candidates.size(), c.of.feature_count()};
  std::vector<model_target> targets;
  for (std::size_t i = 0; i < view.rows; ++i) targets.push_back({static_cast<float>(i % 7) / 7, false, 0});
  model.fit(view, targets);
  std::vector<float> expected(6 * view.rows), found(6 * view.rows);
  model.predict_each(view, expected);
  thread_pool pool(4);
  score_candidates_by_each(c.of, model, pool, c.candidates, found);
  CHECK(found == expected);
}

TEST_CASE("an exception of a model is rethrown while many threads score") {
  convolution const c;
  sum_model model;
  model.broken = true;
  thread_pool pool(4);
  std::vector<float> scores(c.candidates.size());
  CHECK_THROWS_AS(score_candidates(c.of, model, pool, c.candidates, scores), argument_error);
}

}  // namespace scoring_tests
