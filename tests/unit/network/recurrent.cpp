// SPDX-License-Identifier: Apache-2.0
// Recurrent layers over a sequence: as plain loops compute them, as machine code, and with weights that steps share.
#include "ttune/network/recurrent.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../../../examples/networks/lstm_sequence.hpp"
#include "network_against_interpreter.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/support/rng.hpp"

namespace network_recurrent_tests {

using namespace ttune;

namespace {

constexpr std::int64_t steps = 5, batch = 2, inputs = 3, units = 4;

ir::ndarray drawn(rng& random, std::vector<std::int64_t> shape) {
  ir::ndarray made(dtype::f32, std::move(shape));
  for (std::size_t i = 0; i < made.reals.size(); ++i) made.set_number(i, 2 * random.uniform() - 1);
  return made;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The inputs of a layer whose gates have `gates` rows of weights per unit.
struct layer_inputs {
  ir::ndarray X, H, C, W, R, bias, state_bias;

  explicit layer_inputs(std::int64_t gates) {
    rng random(7);
    X = drawn(random, {steps, batch, inputs});
    H = drawn(random, {batch, units});
    C = drawn(random, {batch, units});
    W = drawn(random, {gates * units, inputs});
    R = drawn(random, {gates * units, units});
    bias = drawn(random, {gates * units});
    state_bias = drawn(random, {gates * units});
  }

  /// The products of row `at` of the weights with an input, and with a state.
  [[nodiscard]] double of_input(std::int64_t t, std::int64_t n, std::int64_t at) const {
    double sum = number(bias, at);
    for (std::int64_t k = 0; k < inputs; ++k)
      sum += number(X, (t * batch + n) * inputs + k) * number(W, at * inputs + k);
    return sum;
  }
  [[nodiscard]] double of_state(std::vector<double> const& h, std::int64_t n, std::int64_t at) const {
    double sum = 0;
    for (std::int64_t k = 0; k < units; ++k) sum += h[index(n, k)] * number(R, at * units + k);
    return sum;
  }
  [[nodiscard]] static double number(ir::ndarray const& of, std::int64_t at) {
    return of.number(static_cast<std::size_t>(at));
  }
  [[nodiscard]] static std::size_t index(std::int64_t n, std::int64_t j) {
    return static_cast<std::size_t>(n * units + j);
  }
};

void check_equal(std::vector<double> const& found, std::vector<double> const& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

}  // namespace

TEST_CASE("add_lstm: all hidden states and the last ones, as loops compute them") {
  layer_inputs const given(4);
  network net("lstm");
  auto const x = net.input<float>("x", {steps, batch, inputs});
  auto const h = net.input<float>("h", {batch, units});
  auto const c = net.input<float>("c", {batch, units});
  auto const w = net.input<float>("w", {4 * units, inputs});
  auto const r = net.input<float>("r", {4 * units, units});
  auto const found = add_lstm(net, {batch, inputs, units}, steps, x, h, c, w, r, net.input<float>("b", {4 * units}));
  net.output("all", found.all);
  net.output("hidden", found.hidden);
  net.output("memory", found.memory);
  auto const results = evaluate(net.graph(), {given.X, given.H, given.C, given.W, given.R, given.bias});

  std::vector<double> hidden = given.H.reals, memory = given.C.reals, all;
  for (std::int64_t t = 0; t < steps; ++t) {
    auto const before = hidden;
    for (std::int64_t n = 0; n < batch; ++n)
      for (std::int64_t j = 0; j < units; ++j) {
        auto const gate = [&](std::int64_t which) {
          return given.of_input(t, n, which * units + j) + given.of_state(before, n, which * units + j);
        };
        auto& m = memory[layer_inputs::index(n, j)];
        m = sigmoid(gate(2)) * m + sigmoid(gate(0)) * std::tanh(gate(3));
        hidden[layer_inputs::index(n, j)] = sigmoid(gate(1)) * std::tanh(m);
      }
    all.insert(all.end(), hidden.begin(), hidden.end());
  }
  check_equal(results[0].reals, all);
  check_equal(results[1].reals, hidden);
  check_equal(results[2].reals, memory);
}

TEST_CASE("add_gru: both places of the reset gate, as loops compute them") {
  layer_inputs const given(3);
  for (bool const linear_before_reset : {false, true}) {
    CAPTURE(linear_before_reset);
    network net("gru");
    auto const x = net.input<float>("x", {steps, batch, inputs});
    auto const h = net.input<float>("h", {batch, units});
    auto const w = net.input<float>("w", {3 * units, inputs});
    auto const r = net.input<float>("r", {3 * units, units});
    auto const b = net.input<float>("b", {3 * units}), sb = net.input<float>("sb", {3 * units});
    auto const found = add_gru(net, {batch, inputs, units}, steps, x, h, w, r, b, sb, linear_before_reset);
    net.output("all", found.all);
    auto const results = evaluate(net.graph(), {given.X, given.H, given.W, given.R, given.bias, given.state_bias});

    std::vector<double> hidden = given.H.reals, all;
    for (std::int64_t t = 0; t < steps; ++t) {
      auto const before = hidden;
      for (std::int64_t n = 0; n < batch; ++n) {
        auto const state = [&](std::vector<double> const& of, std::int64_t at) {
          return given.of_state(of, n, at) + layer_inputs::number(given.state_bias, at);
        };
        auto scaled = before;
        for (std::int64_t k = 0; k < units; ++k)
          scaled[layer_inputs::index(n, k)] *= sigmoid(given.of_input(t, n, units + k) + state(before, units + k));
        for (std::int64_t j = 0; j < units; ++j) {
          auto const at = 2 * units + j;
          auto const reset = sigmoid(given.of_input(t, n, units + j) + state(before, units + j));
          auto const of_state = linear_before_reset ? reset * state(before, at) : state(scaled, at);
          auto const candidate = std::tanh(given.of_input(t, n, at) + of_state);
          auto const update = sigmoid(given.of_input(t, n, j) + state(before, j));
          auto& value = hidden[layer_inputs::index(n, j)];
          value = (1 - update) * candidate + update * before[layer_inputs::index(n, j)];
        }
      }
      all.insert(all.end(), hidden.begin(), hidden.end());
    }
    check_equal(results[0].reals, all);
  }
}

TEST_CASE("add_lstm: machine code over more steps than a kernel joins") {
  ttune_test::as_interpreted<3, 3>(networks::lstm_sequence(networks::random_weights(ttune_test::seed()), {70, 24}));
}

TEST_CASE("add_lstm: steps share their weights") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const weights = [](std::int64_t steps_of_layer) {
    tuner by(orc_backend{}, {});
    return tune_network(networks::lstm_sequence(networks::random_weights(), {steps_of_layer, 64}), by, {.trials = 0})
        .weights_bytes();
  };
  constexpr std::int64_t row_bytes = 4;
  CHECK(weights(9) <= weights(3) + 6 * row_bytes + 4096);  // each step has its row; kernels of other shapes may pad
}

}  // namespace network_recurrent_tests
