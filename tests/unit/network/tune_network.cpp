// SPDX-License-Identifier: Apache-2.0
// Whole networks as machine code against the interpreter: layouts, views, joined operators, several outputs, calls from
// several threads, and calls that are refused.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/ops/add.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/dense.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace tune_network_tests {

using namespace ttune;

namespace {

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
  rng random(seed + ttune_test::seed());
  std::vector<float> made(count);
  for (auto& x : made) x = static_cast<float>(random.below(2001)) / 1000 - 1;
  return made;
}

/// A convolution, a residual block with all computes, pooling, and a classifier behind a view.
network small_network() {
  network net("small");
  auto const image = net.input<float>("image", {1, 3, 12, 12});
  auto const stem =
      net.add(ops::conv2d_bias({1, 3, 12, 12, 16, 3, 1, 1}, ops::activation::relu), image,
              net.weights("stem", {16, 3, 3, 3}, numbers(16 * 27, 1)), net.weights("stem_bias", {16}, numbers(16, 2)));
  auto const convolved = net.add(ops::conv2d_alternatives({1, 16, 12, 12, 16, 3, 1, 1}), stem,
                                 net.weights("body", {16, 16, 3, 3}, numbers(16 * 144, 3)));
  auto const block = net.add(ops::add_relu<4>({1, 16, 12, 12}), convolved, stem);
  net.output("features", block);
  auto const pooled = net.add(ops::max_pool2d({1, 16, 12, 12, 2, 2, 0}), block);
  auto const classes =
      net.add(ops::dense({1, 576, 10}), net.reshape(pooled, {1, 576}),
              net.weights("classes", {576, 10}, numbers(5760, 4)), net.weights("class_bias", {10}, numbers(10, 5)));
  net.output("probabilities", net.add(ops::softmax(1, 10), classes));
  return net;
}

tuner fast_tuner() {
  tuner_options options;
  options.worker = worker::in_process{};
  return tuner(orc_backend{}, std::move(options));
}

/// Returns the largest difference between found and expected elements, over the largest expected one.
double error_of(std::vector<float> const& found, ir::ndarray const& expected) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(expected.reals[i]));
    difference = std::max(difference, std::abs(static_cast<double>(found[i]) - expected.reals[i]));
  }
  return difference / largest;
}

struct expected_run {
  std::vector<float> image = numbers(432, 9);
  std::vector<ir::ndarray> outputs;
  explicit expected_run(network const& net) {
    ir::ndarray in(dtype::f32, {1, 3, 12, 12});
    for (std::size_t i = 0; i < image.size(); ++i) in.reals[i] = static_cast<double>(image[i]);
    outputs = evaluate(net.graph(), {in});
  }
};

std::string refusal(auto const& function) {
  try {
    function();
  } catch (argument_error const& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("tune_network: a network computes what the interpreter does, in all computes and layouts") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const net = small_network();
  expected_run const expected(net);
  auto tuner = fast_tuner();
  for (auto const& allowed : {numerics(), numerics::error_within(4)}) {
    auto const run = tune_network(net, tuner, {.trials = 3}, allowed);
    std::vector<float> features(2304), probabilities(10);
    for (int call = 0; call < 2; ++call) {
      run(expected.image, features, probabilities);
      CHECK(error_of(features, expected.outputs[0]) < 2e-5);
      CHECK(error_of(probabilities, expected.outputs[1]) < 2e-5);
    }
    CHECK(run.steps() >= 5);
    CHECK(run.step_seconds(3).size() == run.steps());
    CHECK(run.arena_bytes() > 0);
    CHECK(run.weights_bytes() >= 4 * (16 * 27 + 16 * 144 + 5760 + 16 + 10));
  }
}

TEST_CASE("tune_network: without time, each operator has one kernel, in the plain layout") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const net = small_network();
  expected_run const expected(net);
  auto tuner = fast_tuner();
  auto const run = tune_network(net, tuner, {.time = std::chrono::seconds(0)});
  auto const report = run.report();
  CHECK(report.search.trials == static_cast<std::int64_t>(report.steps.size()));
  for (auto const& step : report.steps) {
    CHECK(step.layouts == "plain");
    CHECK(step.seconds > 0);
  }
  std::vector<float> features(2304), probabilities(10);
  run(expected.image, features, probabilities);
  CHECK(error_of(features, expected.outputs[0]) < 2e-5);
  CHECK(error_of(probabilities, expected.outputs[1]) < 2e-5);
}

TEST_CASE("tune_network: several threads call one network" * doctest::test_suite("threads")) {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const net = small_network();
  expected_run const expected(net);
  auto tuner = fast_tuner();
  auto const run = tune_network(net.graph(), tuner, {.trials = 0});
  std::vector<double> errors(4, 1);
  {
    std::vector<std::jthread> threads;
    for (auto& error : errors)
      threads.emplace_back([&] {
        std::vector<float> features(2304), probabilities(10);
        error = 0;
        for (int call = 0; call < 20; ++call) {
          run(expected.image, features, probabilities);
          error = std::max(error, error_of(probabilities, expected.outputs[1]));
        }
      });
  }
  for (auto const error : errors) CHECK(error < 2e-5);
}

TEST_CASE("tune_network: views, copies and unowned weights") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto tuner = fast_tuner();
  auto weights = numbers(6, 7);
  network net("views");
  auto const x = net.input<float>("x", {2, 3});
  auto const sum = net.add(ops::add<2>({2, 3}), x, net.weights("w", {2, 3}, std::span<float const>(weights)));
  net.output("flat", net.reshape(sum, {6}));
  auto const row = net.reshape(net.weights("row", {3}, std::vector<float>{1, 2, 3}), {1, 3});
  net.output("twice", net.add(ops::add<2>({1, 3}), row, row));
  auto const run = tune_network(net, tuner, {.trials = 0});
  auto const given = weights;
  std::fill(weights.begin(), weights.end(), 0.0F);  // the network has its own copy now
  auto const in = numbers(6, 8);
  std::vector<float> out(6);
  std::vector<float> twice(3);
  run(in, out, twice);
  CHECK(twice == std::vector<float>{2, 4, 6});
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == in[i] + given[i]);
}

TEST_CASE("tune_network: unsuitable arguments are refused by name") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto tuner = fast_tuner();
  network net("small");
  auto const x = net.input<float>("x", {2, 3});
  net.output("y", net.add(ops::add<2>({2, 3}), x, x));
  auto const run = tune_network(net, tuner, {.trials = 0});
  std::vector<float> const in(6);
  std::vector<float> out(6), few(5);
  std::vector<double> doubles(6);
  CHECK(refusal([&] { run(in); }) == "network small takes 1 inputs and 1 outputs, 1 arguments are given");
  CHECK(refusal([&] { run(few, out); }) == "network small: x f32 (2, 3) is given 5 elements of f32");
  CHECK(refusal([&] { run(doubles, out); }) == "network small: x f32 (2, 3) is given 6 elements of f64");
  CHECK(refusal([&] { run(in, in); }) == "network small: y f32 (2, 3) is an output, and given read-only memory");
  CHECK(refusal([&] { run(out, out); }) == "network small: output 0 overlaps another argument");
  auto* const shifted = reinterpret_cast<float*>(reinterpret_cast<char*>(doubles.data()) + 2);
  CHECK(refusal([&] { run(std::span<float const>(shifted, 6), out); }) ==
        "network small: x f32 (2, 3) is given memory that is not aligned for its elements");
  CHECK(refusal([&] { run(std::span<float const>(static_cast<float const*>(nullptr), 6), out); }) ==
        "network small: x f32 (2, 3) is given a null pointer");
}

}  // namespace tune_network_tests
