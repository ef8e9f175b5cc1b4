// SPDX-License-Identifier: Apache-2.0
// Networks with records: the second search takes what the first one found.
#include "ttune/network/network_records.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "counted_orc.hpp"
#include "support/require.hpp"
#include "ttune/network.hpp"
#include "ttune/network/join_elementwise.hpp"
#include "ttune/network/network_search.hpp"
#include "ttune/network/settle_roles.hpp"
#include "ttune/ops/add.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/records/memory_store.hpp"

namespace network_records_tests {

using namespace ttune;

namespace {

std::vector<float> numbers(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>((i * 7 + 3) % 11) / 8 - 0.5F;
  return made;
}

/// Two equal convolutions with several computes, and a sum.
network residual() {
  network net("residual");
  auto const x = net.input<float>("x", {1, 16, 6, 6});
  auto const conv = ops::conv2d_alternatives({1, 16, 6, 6, 16, 3, 1, 1});
  auto const first = net.add(conv, x, net.weights("first", {16, 16, 3, 3}, numbers(2304)));
  auto const second = net.add(conv, first, net.weights("second", {16, 16, 3, 3}, numbers(2304)));
  net.output("y", net.add(ops::add<4>({1, 16, 6, 6}), second, x));
  return net;
}

/// A tuner that counts what it compiles, with records that several tuners may share.
struct counted_tuner {
  std::shared_ptr<std::atomic<int>> compiled = std::make_shared<std::atomic<int>>(0);
  ttune::tuner tuner;
  explicit counted_tuner(std::shared_ptr<memory_store> const& records)
      : tuner(std::make_shared<ttune_test::counted_orc>(compiled), options(records)) {}

  static tuner_options options(std::shared_ptr<memory_store> const& records) {
    tuner_options made;
    made.worker = worker::in_process{};
    made.records = records;
    return made;
  }
};

std::vector<float> result_of(tuned_network const& run) {
  std::vector<float> y(576);
  run(numbers(576), y);
  return y;
}

}  // namespace

TEST_CASE("network records: the second search makes no trial, compiles nothing, and chooses the same") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const records = std::make_shared<memory_store>();
  counted_tuner first(records);
  auto const net = residual();
  auto const tuned = tune_network(net, first.tuner, {.trials = 12}, numerics::error_within(4));
  CHECK(*first.compiled > 0);
  auto const known = records->count();
  counted_tuner second(records);
  auto const again = tune_network(net, second.tuner, {.trials = 12}, numerics::error_within(4));
  CHECK(*second.compiled == 0);
  CHECK(records->count() == known);
  REQUIRE(again.steps() == tuned.steps());
  for (std::size_t step = 0; step < again.steps(); ++step) CHECK(again.step_name(step) == tuned.step_name(step));
  CHECK(result_of(again) == result_of(tuned));
  CHECK(again.arena_bytes() == tuned.arena_bytes());

  auto const untuned = tune_network(net, second.tuner, {.trials = 0}, numerics::error_within(4));
  CHECK(*second.compiled == 0);
  CHECK(result_of(untuned) == result_of(tuned));
  // Other numerics exclude some computes: the network is searched again, perhaps with kernels that the records have.
  auto const direct = tune_network(net, second.tuner, {.trials = 1});
  CHECK(records->count() > known);
  for (auto const& step : direct.report().steps) CHECK(step.compute.find("winograd") == std::string::npos);
}

TEST_CASE("network records: a search counts its trials, one of records makes none") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const records = std::make_shared<memory_store>();
  counted_tuner by(records);
  auto const net = settle_roles(join_elementwise(residual().graph()));
  auto const trials = [&](tuning_budget const& budget) {
    numerics const allowed;
    detail::network_search search(net, by.tuner, budget, allowed);
    auto const steps = search.run();
    CHECK(steps.all.size() >= 2);
    return search.trials();
  };
  CHECK_FALSE(find_network(net, by.tuner, {}));
  CHECK(trials({.trials = 8}) >= 2);
  REQUIRE(find_network(net, by.tuner, {}));
  CHECK(find_network(net, by.tuner, {})->kernels.size() == net.operators().size());
  CHECK(find_network(net, by.tuner, {})->seconds > 0);
  CHECK(trials({.trials = 8}) == 0);
}

TEST_CASE("network records: without images, the recorded schedules are compiled again, and nothing is measured") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const records = std::make_shared<memory_store>();
  counted_tuner first(records);
  auto const tuned = tune_network(residual(), first.tuner, {.trials = 4});
  auto const without_images = std::make_shared<memory_store>();
  records->for_each([&](record const& r) { return without_images->append(r), true; });
  auto const known = without_images->count();
  counted_tuner second(without_images);
  auto const again = tune_network(residual(), second.tuner, {.trials = 4});
  CHECK(*second.compiled > 0);
  CHECK(*second.compiled <= static_cast<int>(again.steps()));
  CHECK(again.report().search.trials == 0);
  CHECK(without_images->count() == known);
  CHECK(result_of(again) == result_of(tuned));
}

TEST_CASE("network records: a start that cannot use them, without trials, leaves them as they are") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const records = std::make_shared<memory_store>();
  counted_tuner first(records);
  (void)tune_network(residual(), first.tuner, {.trials = 4});
  auto const choices_only = std::make_shared<memory_store>();
  records->for_each([&](record const& r) {
    if (is_of_network(r.key)) choices_only->append(r);
    return true;
  });
  auto const known = choices_only->count();
  REQUIRE(known > 0);
  counted_tuner second(choices_only);
  auto const untuned = tune_network(residual(), second.tuner, {.trials = 0});
  CHECK(*second.compiled > 0);
  CHECK(choices_only->count() == known);
  CHECK(untuned.report().text().find("; recorded kernels could not be used: no image is stored") != std::string::npos);
}

TEST_CASE("network records: a kernel comes back with its report") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const records = std::make_shared<memory_store>();
  counted_tuner by(records);
  network_tensor const what{"x", dtype::f32, {4, 4}};
  auto const key = key_of_copy(what, operand_layout(2), operand_layout({1, 0}), by.tuner);
  CHECK_FALSE(find_kernel(key, by.tuner));
  auto found = by.tuner.tune(ops::matmul(4, 4, 4).program(), {.trials = 0});
  auto const image = std::make_shared<kernel_image const>(std::move(found.image));
  keep_kernel(key, {image, {}, {}, "copy", "knob=1", 2e-3}, by.tuner);
  auto const known = find_kernel(key, by.tuner);
  REQUIRE(known);
  CHECK(known->image->code == image->code);
  CHECK(known->image->operand_uses == image->operand_uses);
  CHECK(known->compute == "copy");
  CHECK(known->schedule == "knob=1");
  CHECK(known->seconds == 2e-3);
  CHECK_FALSE(find_kernel(key_of_copy(what, operand_layout({1, 0}), operand_layout(2), by.tuner), by.tuner));
  auto const net = residual().graph();
  auto const& op = net.operators().front();
  CHECK(key_of_kernel(op, {0, 0}, by.tuner, {}) == key_of_kernel(net.operators()[1], {0, 0}, by.tuner, {}));
  CHECK_FALSE(key_of_kernel(op, {0, 0}, by.tuner, {}) == key_of_kernel(op, {1, 0}, by.tuner, {}));
  CHECK_FALSE(key_of_kernel(op, {0, 0}, by.tuner, {}) == key_of_kernel(op, {0, 1}, by.tuner, {}));
  CHECK_FALSE(key_of_kernel(op, {0, 0}, by.tuner, {}) ==
              key_of_kernel(op, {0, 0}, by.tuner, numerics::error_within(4)));
}

TEST_CASE("network records: a record that does not suit the network is not used") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const records = std::make_shared<memory_store>();
  counted_tuner by(records);
  auto const net = settle_roles(join_elementwise(residual().graph()));
  keep_network(net, {{{99, 0}, {99, 0}, {99, 0}}, 1}, by.tuner, {});
  auto const run = tune_network(net, by.tuner, {.trials = 2});
  CHECK(std::isfinite(result_of(run).front()));
  CHECK(*by.compiled > 0);
  CHECK(find_network(net, by.tuner, {})->kernels.front().layouts < 99);
}

TEST_CASE("network records: keys") {
  counted_tuner by(nullptr);
  auto const net = residual().graph();
  CHECK(key_of(net, by.tuner, {}) == key_of(residual().graph(), by.tuner, {}));
  CHECK_FALSE(key_of(net, by.tuner, {}) == key_of(join_elementwise(net), by.tuner, {}));
  CHECK_FALSE(key_of(net, by.tuner, {}) == key_of(net, by.tuner, numerics::error_within(4)));
  CHECK_FALSE(key_of(net, by.tuner, {}) == key_of(net, by.tuner, {}, {.weights_growth = 3}));
  network swapped("residual");
  auto const x = swapped.input<float>("x", {4, 4});
  auto const product = swapped.add(ops::matmul(4, 4, 4), x, swapped.add(ops::add<2>({4, 4}), x, x));
  swapped.output("y", product);
  network other("residual");
  auto const z = other.input<float>("x", {4, 4});
  other.output("y", other.add(ops::matmul(4, 4, 4), other.add(ops::add<2>({4, 4}), z, z), z));
  CHECK_FALSE(key_of(swapped.graph(), by.tuner, {}) == key_of(other.graph(), by.tuner, {}));
  keep_network(net, {{{0, 0}, {0, 0}, {0, 0}}, 1}, by.tuner, {});  // without records, nothing is stored
  CHECK_FALSE(find_network(net, by.tuner, {}));
}

}  // namespace network_records_tests
