// SPDX-License-Identifier: Apache-2.0
// Compares a network with the interpreter, as tests and examples do with small versions. All inputs and outputs are of
// f32.
#pragma once

#include <ttune/network/evaluate.hpp>
#include <ttune/network/graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "weights.hpp"

namespace networks {

/// The elements of several tensors.
using tensors = std::vector<std::vector<float>>;

/// Returns random numbers for all inputs of a network.
[[nodiscard]] inline tensors random_inputs(ttune::network_graph const& net, std::uint64_t seed = 2) {
  auto const source = random_weights(seed);
  tensors made;
  for (auto const input : net.inputs())
    made.push_back(take<float>(source, net.tensors()[input].name, net.tensors()[input].elements()));
  return made;
}

/// Returns memory for all outputs of a network.
[[nodiscard]] inline tensors memory_of_outputs(ttune::network_graph const& net) {
  tensors made;
  for (auto const output : net.outputs()) made.emplace_back(static_cast<std::size_t>(net.tensors()[output].elements()));
  return made;
}

/// Returns the outputs of a network as the interpreter computes them.
[[nodiscard]] inline std::vector<ttune::ir::ndarray> interpreted(ttune::network_graph const& net,
                                                                 tensors const& inputs) {
  std::vector<ttune::ir::ndarray> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto const& tensor = net.tensors()[net.inputs()[i]];
    arrays.push_back(ttune::ir::load_ndarray(tensor.type, tensor.shape, inputs[i].data()));
  }
  return ttune::evaluate(net, arrays);
}

/// Returns the largest difference of outputs from those of the interpreter, each output's over its largest element;
/// infinity if an element is not a number.
[[nodiscard]] inline double difference_from_interpreter(ttune::network_graph const& net, tensors const& inputs,
                                                        tensors const& outputs) {
  auto const expected = interpreted(net, inputs);
  double worst = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < outputs[o].size(); ++i) {
      auto const off = std::abs(static_cast<double>(outputs[o][i]) - expected[o].reals[i]);
      largest = std::max(largest, std::abs(expected[o].reals[i]));
      difference = std::max(difference, std::isnan(off) ? std::numeric_limits<double>::infinity() : off);
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

}  // namespace networks
