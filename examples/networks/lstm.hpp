// SPDX-License-Identifier: Apache-2.0
// One step of a language model of two LSTM cells (Zaremba et al., "Recurrent Neural Network Regularization", 2014),
// without the layer that gives words.
#pragma once

#include <ttune/ops/recurrent.hpp>

#include <string>
#include <tuple>
#include <vector>

#include "layers.hpp"

namespace networks {

/// The sizes of a language model; the default is that of the paper's medium one.
struct lstm_size {
  std::int64_t units = 650;  ///< elements of a word's vector and of each state
  int cells = 2;
};

/// Inputs: x (1, 650), and the hidden state and memory of each cell: h0, c0, h1, c1. Outputs: the next h0, c0, h1, c1.
[[nodiscard]] inline ttune::network lstm(weight_source source, lstm_size const& size = {}) {
  layers net("lstm", std::move(source));
  struct state {
    ttune::network_value<float, 2> hidden, memory;
  };
  auto const units = size.units;
  auto const number_of = [](char const* what, int cell) { return what + std::to_string(cell); };
  auto x = net.input("x", 1, units).value;
  std::vector<state> states;
  for (int cell = 0; cell < size.cells; ++cell) {
    auto const hidden = net.input(number_of("h", cell), 1, units).value;
    states.push_back({hidden, net.input(number_of("c", cell), 1, units).value});
  }
  auto const deviation = layers::scale(1, units);
  for (int cell = 0; cell < size.cells; ++cell) {
    auto& [hidden, memory] = states[static_cast<std::size_t>(cell)];
    auto const name = number_of("cell", cell);
    auto const of_input = net.weights(name + ".of_input", {4 * units, units}, deviation);
    auto const bias = net.bias_of(name, 4 * units);
    auto const of_hidden = net.weights(name + ".of_hidden", {4 * units, units}, deviation);
    std::tie(hidden, memory) =
        net.net().add(ttune::ops::lstm_cell({1, units, units}), x, hidden, memory, of_input, of_hidden, bias);
    x = hidden;
  }
  for (int cell = 0; cell < size.cells; ++cell) {
    net.net().output(number_of("h", cell) + "_next", states[static_cast<std::size_t>(cell)].hidden);
    net.net().output(number_of("c", cell) + "_next", states[static_cast<std::size_t>(cell)].memory);
  }
  return std::move(net.net());
}

}  // namespace networks
