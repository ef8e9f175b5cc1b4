// SPDX-License-Identifier: Apache-2.0
#include "ttune/models/treegru.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace treegru_tests {

using namespace ttune;

namespace {

/// Random configurations of a convolution as trees. Their speed depends on the places of loops, not only on their
/// lengths: it is the share of the work inside of threads.
struct programs {
  space in = ops::cuda_conv2d_template({1, 32, 14, 14, 32, 3, 1, 1});
  plan p = make_plan(in);
  std::vector<float> rows;
  std::vector<model_target> targets;

  explicit programs(std::uint64_t seed, std::size_t count) {
    sampler const all(in.knobs);
    rng random(seed);
    loop_nest n;
    for (std::size_t i = 0; i < count; ++i) {
      instantiate(p, all.draw(random), n);
      auto const row = tree_row(p, n);
      rows.insert(rows.end(), row.begin(), row.end());
      double threads = 0, inner = 0;
      for (std::int32_t l = 0; l < n.loop_count; ++l) {
        auto const& loop = n.loops[static_cast<std::size_t>(l)];
        if (loop.kind >= ir::loop_kind::thread_x) threads += std::log2(loop.extent);
        else if (loop.kind == ir::loop_kind::serial) inner += std::log2(loop.extent);
      }
      targets.push_back({static_cast<float>(1 / (1 + std::exp(0.3 * (inner - threads - 15)))), false, 0});
    }
  }
  [[nodiscard]] feature_view view() const { return {rows.data(), targets.size(), tree_schema::columns}; }
};

}  // namespace

TEST_CASE("a row holds the loops as a tree: children first, one root") {
  programs const some(1, 50);
  for (std::size_t i = 0; i < 50; ++i) {
    auto const* const row = some.view().row(i);
    auto const count = static_cast<std::size_t>(row[0]);
    REQUIRE(count >= 4);
    REQUIRE(count <= tree_schema::max_nodes);
    std::size_t statements = 0;
    for (std::size_t k = 0; k + 1 < count; ++k) {
      auto const* const node = row + 1 + k * tree_schema::node;
      CHECK(node[0] > static_cast<float>(k));
      CHECK(node[0] < static_cast<float>(count));
      statements += node[9] > 0 ? 1U : 0U;
    }
    CHECK(row[1 + (count - 1) * tree_schema::node] == -1);
    CHECK(statements >= 2);
  }
}

TEST_CASE("the tree model learns a function of the loops, and validates itself on unseen rows") {
  programs const train(1, 300), test(2, 150);
  treegru model({.epochs = 25});
  auto const report = model.fit(train.view(), train.targets);
  CHECK(report.rank_correlation > 0.7);
  std::vector<float> scores(150), truth;
  model.predict(test.view(), scores);
  for (auto const& t : test.targets) truth.push_back(t.speed);
  CHECK(rank_correlation(scores, truth) > 0.8);
  treegru other;
  other.load(model.save());
  std::vector<float> again(150);
  other.predict(test.view(), again);
  CHECK(again == scores);
}

TEST_CASE("gradients of the tree unit are those of finite differences") {
  programs const some(3, 1);
  using unit = detail::treegru_unit;
  std::vector<float> weights(unit::weights), gradient(unit::weights);
  rng random(4);
  for (auto& w : weights) w = static_cast<float>(0.6 * (random.uniform() - 0.5));
  unit tree;
  tree.forward(weights.data(), some.rows.data());
  tree.backward(weights.data(), 1, gradient.data());
  for (std::size_t i = 0; i < weights.size(); i += 37) {
    auto moved = weights;
    constexpr float step = 0.01F;
    moved[i] += step;
    auto const above = tree.forward(moved.data(), some.rows.data());
    moved[i] -= 2 * step;
    auto const below = tree.forward(moved.data(), some.rows.data());
    CHECK(gradient[i] == doctest::Approx((above - below) / (2 * step)).epsilon(0.03).scale(0.1));
  }
}

TEST_CASE("the tree model refuses other rows and other files, and lives with poor data") {
  programs const some(5, 30);
  treegru model({.epochs = 2});
  CHECK_THROWS_AS(model.fit({some.rows.data(), 2, 5}, std::span(some.targets).first(2)), argument_error);
  std::vector<float> zeros(tree_schema::columns);
  CHECK_THROWS_AS(model.fit({zeros.data(), 1, tree_schema::columns}, std::span(some.targets).first(1)), argument_error);
  std::vector<model_target> failures(30, {0, true, 0});
  CHECK(model.fit(some.view(), failures).failures == 30);
  std::vector<float> scores(30);
  model.predict(some.view(), scores);
  for (auto const s : scores) CHECK(std::isfinite(s));
  auto bytes = model.save();
  bytes[4] ^= std::byte{7};  // the schema
  CHECK_THROWS_AS(model.load(bytes), argument_error);
  CHECK_THROWS_AS(model.load(std::span(bytes).first(3)), argument_error);
  model.predict(some.view(), scores);  // unchanged
  CHECK(model.fitted());
}

}  // namespace treegru_tests
