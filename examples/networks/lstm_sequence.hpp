// SPDX-License-Identifier: Apache-2.0
// A layer of LSTM over a whole sequence.
#pragma once

#include <ttune/network/recurrent.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "layers.hpp"

namespace networks {

/// The sizes of a layer over a sequence.
struct sequence_size {
  std::int64_t steps = 128;
  std::int64_t units = 512;  ///< elements of an input and of each state
};

/// Inputs: x (steps, 1, units), the hidden state and the memory before the first step, h and c (1, units). Outputs: the
/// hidden state of each step (steps, 1, units), and the last hidden state and memory. The bias has two parts, as in
/// ONNX: of the input, and of the hidden state.
[[nodiscard]] inline ttune::network lstm_sequence(weight_source source, sequence_size const& size = {}) {
  auto const draw = source;
  layers layer("lstm_sequence", std::move(source));
  auto const [steps, units] = size;
  auto& net = layer.net();
  auto const x = net.input<float>("x", {steps, 1, units});
  auto const h = net.input<float>("h", {1, units});
  auto const c = net.input<float>("c", {1, units});
  auto const deviation = layers::scale(1, units);
  auto const of_input = layer.weights("of_input", {4 * units, units}, deviation);
  auto const of_hidden = layer.weights("of_hidden", {4 * units, units}, deviation);
  auto bias = take<float>(draw, "bias", 8 * units, 0.05);
  auto const count = static_cast<std::size_t>(4 * units);
  for (std::size_t i = 0; i < count; ++i) bias[i] += bias[count + i];
  bias.resize(count);
  auto const both = net.weights("bias", {4 * units}, std::move(bias));
  auto const found = add_lstm(net, {1, units, units}, steps, x, h, c, of_input, of_hidden, both);
  net.output("all", found.all);
  net.output("h_last", found.hidden);
  net.output("c_last", found.memory);
  return std::move(net);
}

}  // namespace networks
