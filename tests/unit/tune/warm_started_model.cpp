// SPDX-License-Identifier: Apache-2.0
// A tuner's model first learns from the transfer samples in the records, if that may help.
#include "ttune/tune/session/warm_started_model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/feature/schema.hpp"
#include "ttune/model/ensemble_model.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/model/transfer_model.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/interpreter_backend.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/ttune.hpp"

namespace warm_started_model_tests {

using namespace ttune;

namespace {

record_key key(std::string target = "machine", std::string measured = "warm") {
  record_key k;
  k.compute_text = "op";
  k.target = std::move(target);
  k.objective = std::move(measured);
  return k;
}

transfer_sample taught(record_key const& of, std::size_t rows = 30) {
  transfer_sample l{of, 1, feature_schema, feature_count};
  rng random(3);
  for (std::size_t i = 0; i < rows * feature_count; ++i) l.rows.push_back(static_cast<float>(random.uniform()));
  for (std::size_t i = 0; i < rows; ++i) l.speeds.push_back(1 / static_cast<float>(i + 1));
  l.speeds.back() = 0;
  return l;
}

any_cost_model informed(any_cost_model const& given, transfer_sample const& by) {
  memory_store store;
  store.put_transfer_sample(by);
  return detail::warm_started_model(given, std::make_shared<memory_store>(std::move(store)), key());
}

/// A user's model that cannot be created anew.
class own_model final : public cost_model {
 public:
  [[nodiscard]] std::string name() const override { return "own"; }
  fit_report fit(feature_view, std::span<model_target const>) override { return {}; }
  [[nodiscard]] bool fitted() const noexcept override { return false; }
  void predict(feature_view, std::span<float>) const override {}
  [[nodiscard]] std::vector<std::byte> save() const override { return {}; }
  void load(std::span<std::byte const>) override {}
};

}  // namespace

TEST_CASE("warm_started_model: transfer_samples of the same target and objective are a model's base") {
  any_cost_model const given = linear_model{};
  auto const made = informed(given, taught(key()));
  auto const* const transfers = dynamic_cast<transfer_model*>(&*made);
  REQUIRE(transfers);
  CHECK(transfers->base_rows() == 30);
  CHECK(made->fitted());
  CHECK_FALSE(given->fitted());
  auto const own = taught(key("elsewhere"), 60);  // the given model learns the task's own rows
  std::vector<model_target> targets;
  for (auto const s : own.speeds) targets.push_back({s, s <= 0, 0});
  (void)made->fit({own.rows.data(), own.size(), own.columns}, targets);
  CHECK(given->fitted());
}

TEST_CASE("warm_started_model: transfer_samples without information do not change the model") {
  any_cost_model const given = linear_model{};
  CHECK(&*detail::warm_started_model(given, {}, key()) == &*given);
  CHECK(&*detail::warm_started_model(given, std::make_shared<memory_store>(), key()) == &*given);
  CHECK(&*informed(given, taught(key("another machine"))) == &*given);
  CHECK(&*informed(given, taught(key("machine", "cold"))) == &*given);
  auto l = taught(key());
  l.schema ^= 1;
  CHECK(&*informed(given, l) == &*given);
  l = taught(key());
  l.speeds.clear();  // a transfer_sample of an earlier version
  CHECK(&*informed(given, l) == &*given);
  l = taught(key());
  l.rows[5] = std::numeric_limits<float>::quiet_NaN();
  CHECK(&*informed(given, l) == &*given);
  any_cost_model const alone = own_model{};
  CHECK(&*informed(alone, taught(key())) == &*alone);
}

TEST_CASE("warm_started_model: a transfer model without a base gets one, another one keeps its base") {
  auto const make = [] { return any_cost_model(linear_model{}); };
  any_cost_model const empty = transfer_model(make);
  CHECK(&*informed(empty, taught(key())) == &*empty);
  CHECK(dynamic_cast<transfer_model&>(*empty).base_rows() == 30);
  (void)informed(empty, taught(key(), 10));
  CHECK(dynamic_cast<transfer_model&>(*empty).base_rows() == 30);
}

TEST_CASE("another: a model of the same kind that knows nothing") {
  auto const l = taught(key());
  std::vector<model_target> targets;
  for (auto const s : l.speeds) targets.push_back({s, s <= 0, 0});
  ensemble_model several([](std::uint64_t) { return any_cost_model(linear_model{}); }, {.by_estimate = false});
  linear_model one;
  for (cost_model* const m : {static_cast<cost_model*>(&several), static_cast<cost_model*>(&one)}) {
    (void)m->fit({l.rows.data(), l.size(), l.columns}, targets);
    auto const other = m->another();
    REQUIRE(other);
    CHECK(other->name() == m->name());
    CHECK_FALSE(other->fitted());
    (void)other->fit({l.rows.data(), l.size(), l.columns}, targets);
    CHECK(m->fitted());
  }
}

TEST_CASE("tuner: with records of other workloads, candidates are scored before the second trial") {
  auto const store = std::make_shared<memory_store>();
  auto const tune_once = [&](auto const& op, std::int64_t trials) {
    tuner made{interpreter_backend{}, {.records = store}};
    (void)made.tune(op, {.trials = trials});
  };
  tune_once(ops::conv2d({1, 4, 6, 6, 8, 3, 1, 1}), 24);
  auto const first_predictions = [&](std::string const& compute) {
    std::size_t predicted = 0;
    store->for_each([&](record const& r) {
      if (r.key.compute_text.find(compute) != std::string::npos && r.predicted) ++predicted;
      return true;
    });
    return predicted;
  };
  auto const before = first_predictions("");
  tune_once(ops::matmul(24, 20, 36), 8);  // one batch after the first trial
  CHECK(first_predictions("") == before + 7);
}

}  // namespace warm_started_model_tests
