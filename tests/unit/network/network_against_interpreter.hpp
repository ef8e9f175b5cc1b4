// SPDX-License-Identifier: Apache-2.0
// Compares a whole network as machine code with the interpreter, on random inputs.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

#include "../../../examples/networks/compare.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network.hpp"

namespace ttune_test {

/// Checks that the untuned machine code of a network differs from the interpreter by at most `tolerance` of the largest
/// result. All inputs and outputs are of f32.
template <std::size_t Inputs, std::size_t Outputs>
void as_interpreted(ttune::network const& net, double tolerance = 2e-5) {
  auto const there = ttune::orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  ttune::tuner_options options;
  options.worker = ttune::worker::in_process{};
  ttune::tuner tuner(ttune::orc_backend{}, std::move(options));
  auto const run = tune_network(net, tuner, {.trials = 0});
  auto const& graph = net.graph();
  auto const inputs = networks::random_inputs(graph, seed());
  auto outputs = networks::memory_of_outputs(graph);
  REQUIRE(inputs.size() == Inputs);
  REQUIRE(outputs.size() == Outputs);
  [&]<std::size_t... In, std::size_t... Out>(std::index_sequence<In...>, std::index_sequence<Out...>) {
    run(inputs[In]..., outputs[Out]...);
  }(std::make_index_sequence<Inputs>(), std::make_index_sequence<Outputs>());
  CHECK(networks::difference_from_interpreter(graph, inputs, outputs) < tolerance);
}

}  // namespace ttune_test
