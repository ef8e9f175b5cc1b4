// SPDX-License-Identifier: Apache-2.0
// Compares a whole network as machine code with the interpreter, on random inputs.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

/// Returns random numbers for each input of a network, all of f32.
inline std::vector<std::vector<float>> random_inputs(ttune::network_graph const& net) {
  ttune::rng random(seed());
  std::vector<std::vector<float>> made;
  for (auto const input : net.inputs()) {
    auto& values = made.emplace_back(static_cast<std::size_t>(net.tensors()[input].elements()));
    for (auto& x : values) x = static_cast<float>(2 * random.uniform() - 1);
  }
  return made;
}

inline std::vector<ttune::ir::ndarray> interpreted(ttune::network_graph const& net,
                                                   std::vector<std::vector<float>> const& inputs) {
  std::vector<ttune::ir::ndarray> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    arrays.push_back(
        ttune::ir::load_ndarray(ttune::dtype::f32, net.tensors()[net.inputs()[i]].shape, inputs[i].data()));
  return ttune::evaluate(net, arrays);
}

/// Returns the largest difference between found and expected elements, over the largest expected one.
inline double relative_difference(std::vector<float> const& found, ttune::ir::ndarray const& expected) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK_MESSAGE(std::isfinite(found[i]), "element ", i);
    largest = std::max(largest, std::abs(expected.reals[i]));
    difference = std::max(difference, std::abs(static_cast<double>(found[i]) - expected.reals[i]));
  }
  return difference / largest;
}

/// Checks that the untuned machine code of a network differs from the interpreter by at most `tolerance` of the largest
/// result. All inputs and outputs are of f32.
template <std::size_t Inputs, std::size_t Outputs>
void as_interpreted(ttune::network const& net, ttune::numerics const& allowed = {}, double tolerance = 2e-5) {
  auto const there = ttune::orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  ttune::tuner_options options;
  options.worker = ttune::worker::in_process{};
  ttune::tuner tuner(ttune::orc_backend{}, std::move(options));
  auto const run = tune_network(net, tuner, {.trials = 0}, allowed);
  auto const& graph = net.graph();
  auto const inputs = random_inputs(graph);
  auto const expected = interpreted(graph, inputs);
  REQUIRE(inputs.size() == Inputs);
  REQUIRE(expected.size() == Outputs);
  std::vector<std::vector<float>> found;
  for (auto const& one : expected) found.emplace_back(one.reals.size(), -1.0F);
  [&]<std::size_t... In, std::size_t... Out>(std::index_sequence<In...>, std::index_sequence<Out...>) {
    run(inputs[In]..., found[Out]...);
  }(std::make_index_sequence<Inputs>(), std::make_index_sequence<Outputs>());
  for (std::size_t i = 0; i < Outputs; ++i) CHECK(relative_difference(found[i], expected[i]) < tolerance);
}

}  // namespace ttune_test
