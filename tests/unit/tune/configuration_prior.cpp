// SPDX-License-Identifier: Apache-2.0
// Finds configurations that were good elsewhere in unseen spaces: other shapes, other operators.
#include "ttune/tune/configuration_prior.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/model/transfer_model.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/interpreter_backend.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/ttune.hpp"

namespace configuration_prior_tests {

using namespace ttune;

namespace {

template <class Op>
workload made(Op const& op) {
  auto const machine = named_target("x86-64-v3");
  return workload(derive_space(op.program(), machine), machine);
}

/// Synthetic speeds: the analytic estimate. Higher is faster.
std::vector<double> speeds(workload const& of, std::vector<configuration> const& all) {
  std::vector<float> rows;
  of.featurise(all, rows);
  std::vector<double> made;
  for (std::size_t i = 0; i < all.size(); ++i)
    made.push_back(-static_cast<double>(log_estimate(rows.data() + i * of.feature_count())));
  return made;
}

std::vector<configuration> draws(workload const& of, std::size_t count, std::uint64_t seed) {
  rng random(seed);
  std::vector<configuration> drawn;
  while (drawn.size() < count) drawn.push_back(of.sampler().draw(random));
  return drawn;
}

/// Returns a transfer sample with the best of many draws, as a tuner would write it.
transfer_sample taught_by(workload const& of, std::vector<configuration>* good = nullptr) {
  auto const drawn = draws(of, 3000, 5);
  auto const speed = speeds(of, drawn);
  std::vector<std::size_t> order(drawn.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-speed[i], i); });
  std::vector<configuration> best;
  for (std::size_t i = 0; i < 4; ++i) best.push_back(drawn[order[i]]);
  transfer_sample l;
  l.of.compute_text = of.space().program->name;
  l.seconds = 1;
  l.schema = feature_schema;
  l.columns = of.feature_count();
  of.featurise(best, l.rows);
  if (good) *good = best;
  return l;
}

double share_below(std::vector<double> const& all, double value) {
  return static_cast<double>(std::ranges::count_if(all, [&](double v) { return v < value; })) /
         static_cast<double>(all.size());
}

}  // namespace

TEST_CASE("configuration_prior: proposals are valid, distinct, not known, and the same each time") {
  auto const product = made(ops::matmul(96, 160, 64));
  configuration_prior model;
  CHECK(model.propose(product, 4).empty());
  CHECK(model.learn(taught_by(product)));
  auto const first = model.propose(product, 4);
  CHECK(first == model.propose(product, 4));
  REQUIRE(first.size() >= 2);
  configuration_set seen;
  for (auto const& c : first) {
    CHECK(product.sampler().valid(c));
    CHECK(seen.insert(c).second);
  }
  for (auto const& c : model.propose(product, 4, std::span(first).first(1))) CHECK(c != first[0]);
  CHECK(model.propose(product, 0).empty());
}

TEST_CASE("configuration_prior: transfer_samples without information are skipped") {
  auto const product = made(ops::matmul(32, 32, 32));
  auto const good = taught_by(product);
  configuration_prior model;
  auto other = good;
  other.schema += 1;
  CHECK_FALSE(model.learn(other));
  other = good;
  other.rows.clear();
  CHECK_FALSE(model.learn(other));
  other = good;
  other.columns = 7;
  CHECK_FALSE(model.learn(other));
  other = good;
  other.rows[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(model.learn(other));
  CHECK(model.transfer_samples() == 0);
}

TEST_CASE("configuration_prior: rows of a transfer_sample about as fast as the best are proposed") {
  auto const work = made(ops::matmul(64, 96, 128));
  auto l = taught_by(work);
  auto const first = [&](transfer_sample const& taught) {
    configuration_prior model({.draws = 64});
    REQUIRE(model.learn(taught));
    return model.propose(work, 8);
  };
  auto one = l;
  one.rows.resize(one.columns);
  l.speeds = {1, 0.5F, 0.2F, 0};
  CHECK(first(l) == first(one));
  l.speeds = {0.5F, 0.5F, 0.5F, 0.5F};  // none was good
  CHECK_FALSE(configuration_prior().learn(l));
}

TEST_CASE("configuration_prior: a known workload gets its best configurations back") {
  auto const product = made(ops::matmul(96, 160, 64));
  std::vector<configuration> best;
  configuration_prior model;
  model.learn(taught_by(product, &best));
  auto const again = speeds(product, model.propose(product, 1));
  REQUIRE(again.size() == 1);
  CHECK(again[0] > speeds(product, best)[0] - 0.05);
}

TEST_CASE("configuration_prior: transfer_samples of products help a product of another shape, and a convolution") {
  configuration_prior model;
  for (auto const& [m, n, k] : {std::array{64, 512, 128}, {200, 96, 300}, {512, 512, 512}})
    model.learn(taught_by(made(ops::matmul(m, n, k))));
  auto const helps = [&](workload const& on) {
    auto const by_chance = speeds(on, draws(on, 2000, 9));
    auto const proposed = speeds(on, model.propose(on, 8));
    REQUIRE(!proposed.empty());
    double mean = 0;
    for (auto const s : proposed) mean += share_below(by_chance, s) / static_cast<double>(proposed.size());
    INFO(on.space().program->name << ": mean quantile " << mean << ", best "
                                  << share_below(by_chance, std::ranges::max(proposed)));
    CHECK(mean > 0.85);
    CHECK(share_below(by_chance, std::ranges::max(proposed)) > 0.95);
  };
  helps(made(ops::matmul(120, 240, 333)));
  helps(made(ops::conv2d({1, 32, 28, 28, 64, 3, 1, 1})));
}

TEST_CASE("configuration_prior: the nearest workload is asked first") {
  auto const small = made(ops::matmul(16, 16, 16)), large = made(ops::matmul(1024, 1024, 1024)),
             asked = made(ops::matmul(900, 1100, 1000));
  std::vector<float> a, b, c;
  small.featurise(std::vector{small.seed()}, a);
  large.featurise(std::vector{large.seed()}, b);
  asked.featurise(std::vector{asked.seed()}, c);
  CHECK(detail::task_distance(c.data(), c.data()) == 0);
  CHECK(detail::task_distance(c.data(), b.data()) < detail::task_distance(c.data(), a.data()));
}

namespace {

/// Returns counted times of the first trials of a product, and of the seed alone.
std::vector<double> first_trials(shared_store const& records, std::int64_t trials) {
  std::vector<double> seconds;
  tuner made{interpreter_backend{}, {.records = records, .on_progress = [&](progress const& p) {
                                       if (!p.finished) seconds.push_back(p.best_seconds);
                                     }}};
  (void)made.tune(ops::matmul(24, 20, 36), {.trials = trials});
  return seconds;
}

}  // namespace

TEST_CASE("tuner: keeps what it learned with the winner, and proposes from it for another operator") {
  auto const store = std::make_shared<memory_store>();
  {
    tuner made{interpreter_backend{}, {.records = store}};
    (void)made.tune(ops::conv2d({1, 4, 6, 6, 8, 3, 1, 1}), {.trials = 24});
  }
  auto const transfer_samples = store->transfer_samples();
  REQUIRE(transfer_samples.size() == 1);
  CHECK(transfer_samples[0].size() >= 24);  // all trials, and the winner
  CHECK(transfer_samples[0].size() <= 24 + 4);
  REQUIRE(transfer_samples[0].speeds.size() == transfer_samples[0].size());
  CHECK(transfer_samples[0].speeds[0] == 1);
  CHECK(std::ranges::all_of(transfer_samples[0].speeds, [](float s) { return s >= 0 && s <= 1; }));
  CHECK(transfer_samples[0].schema == feature_schema);
  CHECK(transfer_samples[0].of == store->keys()[0].key);
  auto const blind = first_trials({}, 12);
  auto const told = first_trials(store, 12);
  REQUIRE(blind.size() == 12);
  REQUIRE(told.size() == 12);
  CHECK(told[0] == blind[0]);  // the untuned kernel always comes first
  CHECK(told[2] != blind[2]);  // a quarter of the trials are proposals
  CHECK(store->transfer_samples().size() == 2);
}

}  // namespace configuration_prior_tests
