// SPDX-License-Identifier: Apache-2.0
// The weights that a tuned network holds: laid out once, and as given only where kernels read them so.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/ops/add.hpp"
#include "ttune/ops/conv2d.hpp"

namespace weights_tests {

using namespace ttune;

namespace {

using shared_numbers = std::shared_ptr<std::vector<float> const>;

shared_numbers numbers(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>((i * 13 + 5) % 17) / 16 - 0.5F;
  return std::make_shared<std::vector<float> const>(std::move(made));
}

constexpr std::int64_t filter_bytes = 16 * 16 * 9 * sizeof(float);

/// Convolutions one after the other, all with the same filters, which kernels lay out.
network_graph convolutions(int count, shared_numbers const& filters) {
  network_graph net("convolutions");
  auto const conv = ops::conv2d({1, 16, 8, 8, 16, 3, 1, 1});
  auto const w = net.add_weights("w", dtype::f32, {16, 16, 3, 3}, {filters, filters->data()});
  auto value = net.add_input("x", dtype::f32, {1, 16, 8, 8});
  for (int i = 0; i < count; ++i) {
    network_compute const compute{conv.program(), 0};
    value = net.add_operator("conv" + std::to_string(i), {compute}, {value, w}).front();
  }
  net.add_output("y", value);
  return net;
}

tuned_network compiled(network_graph const& net) {
  tuner by(orc_backend{}, {});
  return tune_network(net, by, {.trials = 0});
}

}  // namespace

TEST_CASE("weights: those that kernels laid out are not held as given") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto filters = numbers(16 * 16 * 9);
  std::weak_ptr<std::vector<float> const> const given = filters;
  auto net = std::optional(convolutions(1, filters));
  auto const x = numbers(16 * 64);
  auto const expected = evaluate(*net, {ir::load_ndarray(dtype::f32, {1, 16, 8, 8}, x->data())});
  auto const run = compiled(*net);
  REQUIRE(run.report().steps.at(0).weights_bytes >= filter_bytes);  // this kernel lays them out
  CHECK(run.weights_bytes() == run.report().steps.at(0).weights_bytes);
  filters.reset();
  net.reset();
  CHECK(given.expired());
  std::vector<float> y(16 * 64);
  run(*x, y);
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(static_cast<double>(y[i]) - expected[0].reals[i]) < 1e-4);
}

TEST_CASE("weights: a network that is moved frees each as soon as it is laid out") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto second = numbers(16 * 16 * 9);
  auto* const of_second = const_cast<float*>(second->data());
  // The deleter of the first filters doubles the second ones, which are laid out later.
  std::shared_ptr<void const> first(new std::vector<float>(16 * 16 * 9, 1.0F), [of_second](void const* filters) {
    for (int i = 0; i < 16 * 16 * 9; ++i) of_second[i] *= 2;
    delete static_cast<std::vector<float> const*>(filters);
  });
  network_graph net("convolutions");
  auto const conv = ops::conv2d({1, 16, 8, 8, 16, 3, 1, 1});
  auto const x = net.add_input("x", dtype::f32, {1, 16, 8, 8});
  auto const* const ones = static_cast<std::vector<float> const*>(first.get())->data();
  auto const w1 = net.add_weights("w1", dtype::f32, {16, 16, 3, 3}, {std::move(first), ones});
  auto const w2 = net.add_weights("w2", dtype::f32, {16, 16, 3, 3}, {second, second->data()});
  network_compute const compute{conv.program(), 0};
  auto const middle = net.add_operator("conv1", {compute}, {x, w1}).front();
  net.add_output("y", net.add_operator("conv2", {compute}, {middle, w2}).front());
  auto const given = numbers(16 * 64);
  auto const expected = evaluate(net, {ir::load_ndarray(dtype::f32, {1, 16, 8, 8}, given->data())});
  tuner by(orc_backend{}, {});
  auto const run = tune_network(std::move(net), by, {.trials = 0});
  std::vector<float> y(16 * 64);
  run(*given, y);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(static_cast<double>(y[i]) == doctest::Approx(2 * expected[0].reals[i]).epsilon(1e-4).scale(100));
}

TEST_CASE("weights: steps of one kernel and the same weights share them") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const filters = numbers(16 * 16 * 9);
  auto const one = compiled(convolutions(1, filters));
  auto const three = compiled(convolutions(3, filters));
  REQUIRE(three.steps() == 3);
  CHECK(three.weights_bytes() == one.weights_bytes());
  CHECK(three.report().steps[1].weights_bytes == 0);
}

TEST_CASE("weights: steps share what they lay out, although they differ in other weights") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const filters = numbers(16 * 16 * 9);
  auto const conv = ops::conv2d_bias({1, 16, 8, 8, 16, 3, 1, 1});
  network_graph net("convolutions");
  auto const w = net.add_weights("w", dtype::f32, {16, 16, 3, 3}, {filters, filters->data()});
  auto value = net.add_input("x", dtype::f32, {1, 16, 8, 8});
  std::vector<shared_numbers> biases;
  for (int i = 0; i < 3; ++i) {
    biases.push_back(std::make_shared<std::vector<float> const>(16, static_cast<float>(i)));
    auto const b = net.add_weights("b" + std::to_string(i), dtype::f32, {16}, {biases.back(), biases.back()->data()});
    value = net.add_operator("conv" + std::to_string(i), {{conv.program(), 0}}, {value, w, b}).front();
  }
  net.add_output("y", value);
  auto const x = numbers(16 * 64);
  auto const expected = evaluate(net, {ir::load_ndarray(dtype::f32, {1, 16, 8, 8}, x->data())});
  auto const run = compiled(net);
  CHECK(run.weights_bytes() < 2 * filter_bytes);
  std::vector<float> y(16 * 64);
  run(*x, y);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(static_cast<double>(y[i]) == doctest::Approx(expected[0].reals[i]).epsilon(1e-4).scale(100));
}

TEST_CASE("weights: those that calls read as given stay, and count once") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto addend = numbers(64);
  std::weak_ptr<std::vector<float> const> const given = addend;
  auto const run = [&] {
    network_graph net("sums");
    auto const w = net.add_weights("w", dtype::f32, {8, 8}, {addend, addend->data()});
    network_compute const sum{ops::add<2>({8, 8}).program(), 0};
    auto const x = net.add_input("x", dtype::f32, {8, 8});
    net.add_output("y", net.add_operator("first", {sum}, {x, w}).front());
    net.add_output("z", net.add_operator("second", {sum}, {w, x}).front());
    return compiled(net);
  }();
  addend.reset();
  CHECK_FALSE(given.expired());
  CHECK(run.weights_bytes() == 256);
  auto const x = numbers(64);
  std::vector<float> y(64), z(64);
  run(*x, y, z);
  CHECK(y == z);
  CHECK(y[3] == 2 * (*x)[3]);  // both have the same numbers
}

}  // namespace weights_tests
