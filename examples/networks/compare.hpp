// SPDX-License-Identifier: Apache-2.0
// Compares a tuned network with the interpreter, as the examples do with small versions of their networks.
#pragma once

#include <ttune/network.hpp>
#include <ttune/network/evaluate.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "weights.hpp"

namespace networks {

/// Returns random numbers for the first input of a network.
[[nodiscard]] inline std::vector<float> random_input(ttune::network const& net, std::uint64_t seed = 2) {
  auto const& graph = net.graph();
  return take<float>(random_weights(seed), "input", graph.tensors()[graph.inputs().front()].elements());
}

/// Returns memory for an output of a network.
[[nodiscard]] inline std::vector<float> output_memory(ttune::network const& net, std::size_t output = 0) {
  auto const& graph = net.graph();
  return std::vector<float>(static_cast<std::size_t>(graph.tensors()[graph.outputs()[output]].elements()));
}

/// Returns the largest difference of outputs from those of the interpreter, over the largest of each; infinity if one
/// is not a number. The network has one input.
[[nodiscard]] inline double difference_from_interpreter(ttune::network const& net, std::vector<float> const& input,
                                                        std::vector<std::vector<float>> const& outputs) {
  auto const& graph = net.graph();
  auto const& tensor = graph.tensors()[graph.inputs().front()];
  auto const expected = ttune::evaluate(graph, {ttune::ir::load_ndarray(tensor.type, tensor.shape, input.data())});
  double worst = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < outputs[o].size(); ++i) {
      auto const off = std::abs(static_cast<double>(outputs[o][i]) - expected[o].reals[i]);
      largest = std::max(largest, std::abs(expected[o].reals[i]));
      difference = std::max(difference, std::isnan(off) ? INFINITY : off);
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

}  // namespace networks
