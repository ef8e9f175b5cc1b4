// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline void check_network_inputs(network_graph const& net, std::vector<ir::ndarray> const& given) {
  if (given.size() != net.inputs().size())
    throw argument_error("network " + net.name() + " has " + std::to_string(net.inputs().size()) + " inputs, " +
                         std::to_string(given.size()) + " are given");
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto const& wanted = net.tensors()[net.inputs()[i]];
    if (given[i].type != wanted.type || given[i].shape != wanted.shape)
      throw argument_error("network " + net.name() + ": input " + wanted.text() + " is given " +
                           name_of(given[i].type) + " " + ir::shape_text(given[i].shape));
  }
}

}  // namespace detail

std::vector<ir::ndarray> evaluate(network_graph const& net, std::vector<ir::ndarray> const& inputs) {
  detail::check_network_inputs(net, inputs);
  std::vector<ir::ndarray> values(net.tensors().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) values[net.inputs()[i]] = inputs[i];
  for (std::size_t t = 0; t < values.size(); ++t)
    if (auto const& weights = net.tensors()[t]; weights.content)
      values[t] = ir::load_ndarray(weights.type, weights.shape, weights.content.get());
  for (auto const& op : net.operators()) {
    if (op.is_view()) {
      auto viewed = values[op.inputs.front()];
      viewed.shape = net.tensors()[op.outputs.front()].shape;
      values[op.outputs.front()] = std::move(viewed);
      continue;
    }
    std::vector<ir::ndarray> operands;
    for (auto const input : op.inputs) operands.push_back(values[input]);
    auto results = ir::evaluate(*op.computes.front().program, operands);
    for (std::size_t i = 0; i < results.size(); ++i) values[op.outputs[i]] = std::move(results[i]);
  }
  std::vector<ir::ndarray> made;
  for (auto const output : net.outputs()) made.push_back(std::move(values[output]));
  return made;
}

}}  // namespace ttune::v0
