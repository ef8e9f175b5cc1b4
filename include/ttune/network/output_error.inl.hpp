// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "ttune/ir/interpret.hpp"
#include "ttune/network/in_doubles.hpp"
#include "ttune/network/network_search.hpp"
#include "ttune/network/output_error.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns how the first operator that reads an input describes it: indices have a range.
inline operand_info operand_of_input(network_graph const& net, std::size_t tensor) {
  operand_info made{net.tensors()[tensor].name, net.tensors()[tensor].type, net.tensors()[tensor].shape};
  for (auto const reader : net.readers(tensor)) {
    auto const& op = net.operators()[reader];
    if (op.is_view()) continue;
    auto const operands = divide_operands(signature_of(op.computes.front().program)).inputs;
    auto const at = std::find(op.inputs.begin(), op.inputs.end(), tensor) - op.inputs.begin();
    return operands[static_cast<std::size_t>(at)];
  }
  return made;
}

/// Calls a network, and returns its outputs as real numbers.
inline std::vector<std::vector<double>> outputs_of(network_graph const& net, tuned_network const& run,
                                                   std::vector<std::vector<std::uint8_t>> const& inputs) {
  std::vector<std::vector<std::uint8_t>> outputs;
  std::vector<void*> memory;
  for (auto const& each : inputs) memory.push_back(const_cast<std::uint8_t*>(each.data()));
  for (auto const tensor : net.outputs()) {
    outputs.emplace_back(static_cast<std::size_t>(net.tensors()[tensor].bytes()));
    memory.push_back(outputs.back().data());
  }
  run.call(memory);
  std::vector<std::vector<double>> made;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto const& tensor = net.tensors()[net.outputs()[i]];
    auto const values = ir::load_ndarray(tensor.type, tensor.shape, outputs[i].data());
    made.emplace_back(values.reals.begin(), values.reals.end());
    if (values.reals.empty()) made.back().assign(values.integers.begin(), values.integers.end());
  }
  return made;
}

/// Returns the elements of an operand of f32 as f64; others stay.
inline std::vector<std::uint8_t> bytes_in_doubles(dtype type, std::vector<std::uint8_t> const& given) {
  if (type != dtype::f32) return given;
  std::vector<float> const numbers(reinterpret_cast<float const*>(given.data()),
                                   reinterpret_cast<float const*>(given.data() + given.size()));
  std::vector<double> const wide(numbers.begin(), numbers.end());
  auto const* const begin = reinterpret_cast<std::uint8_t const*>(wide.data());
  return {begin, begin + wide.size() * sizeof(double)};
}

output_error_meter::output_error_meter(network_graph const& net, tuner const& by) : net_(net), tuner_(by) {
  rng seeds(by.options().seed);
  std::vector<bytes> wide;
  for (auto const input : net.inputs()) {
    auto const operand = operand_of_input(net, input);
    inputs_.push_back(make_input(operand, seeds()));
    wide.push_back(bytes_in_doubles(operand.type, inputs_.back()));
  }
  auto const doubles = in_doubles(net);
  auto without_records = by.without_records();
  tuning_budget const untuned{.trials = 0};
  numerics const allowed;
  network_search search(doubles, without_records, untuned, allowed);
  exact_ = outputs_of(doubles, tuned_network(doubles, search.run(), by.kernel_executor()), wide);
}

std::vector<double> output_error_meter::errors_of(network_steps const& steps) const {
  auto const found = outputs_of(net_, tuned_network(net_, steps, tuner_.kernel_executor()), inputs_);
  std::vector<double> made;
  for (std::size_t i = 0; i < found.size(); ++i) {
    double differences = 0, squares = 0;
    for (std::size_t j = 0; j < found[i].size(); ++j) {
      differences += (found[i][j] - exact_[i][j]) * (found[i][j] - exact_[i][j]);
      squares += exact_[i][j] * exact_[i][j];
    }
    made.push_back(differences == 0 ? 0 : std::sqrt(differences / squares));
  }
  return made;
}

double largest_ratio(std::vector<double> const& errors, std::vector<double> const& over) {
  constexpr double least = 0x1p-24 / 100;
  double made = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    auto const ratio = errors[i] / std::max(least, over[i]);
    made = ratio > made || std::isnan(ratio) ? ratio : made;
  }
  return made;
}

}}}  // namespace ttune::v0::detail
