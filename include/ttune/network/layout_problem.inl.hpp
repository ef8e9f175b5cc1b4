// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>
#include <utility>

#include "ttune/network/layout_problem.hpp"
#include "ttune/network/pbqp.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Builds the problem: a node per operator, an edge per tensor between its producer and each reader.
class layout_problem {
 public:
  layout_problem(network_graph const& net, std::vector<std::vector<kernel_choice>> const& choices,
                 repack_cost const& repack)
      : net_(net), choices_(choices), repack_(repack) {
    for (std::size_t op = 0; op < net.operators().size(); ++op) problem_.add_node(costs_of(op));
    for (std::size_t reader = 0; reader < net.operators().size(); ++reader) connect(reader);
  }

  [[nodiscard]] chosen_kernels solve() const {
    auto found = problem_.solve();
    return {std::move(found.chosen), found.cost, found.optimal};
  }

 private:
  [[nodiscard]] std::size_t alternatives(std::size_t op) const { return std::max<std::size_t>(1, choices_[op].size()); }
  /// Returns the tensors that an operator reads, each once.
  [[nodiscard]] std::set<std::size_t> inputs_of(std::size_t op) const {
    auto const& inputs = net_.operators()[op].inputs;
    return {inputs.begin(), inputs.end()};
  }
  /// Returns the layouts in which a kernel reads a tensor, each once: operands of one layout share a copy.
  [[nodiscard]] std::vector<operand_layout> layouts_read(std::size_t op, std::size_t choice, std::size_t tensor) const {
    auto const& at = net_.operators()[op];
    if (at.is_view()) return {plain(tensor)};
    std::vector<operand_layout> made;
    for (std::size_t i = 0; i < at.inputs.size(); ++i) {
      auto const& layout = choices_[op][choice].inputs[i];
      if (at.inputs[i] == tensor && std::find(made.begin(), made.end(), layout) == made.end()) made.push_back(layout);
    }
    return made;
  }
  [[nodiscard]] operand_layout result_layout(std::size_t op, std::size_t choice, std::size_t result) const {
    if (net_.operators()[op].is_view()) return plain(net_.operators()[op].outputs[result]);
    return choices_[op][choice].results[result];
  }
  [[nodiscard]] operand_layout plain(std::size_t tensor) const {
    return operand_layout(static_cast<int>(net_.tensors()[tensor].shape.size()));
  }
  [[nodiscard]] double copying(std::size_t tensor, operand_layout const& from,
                               std::vector<operand_layout> const& to) const {
    double seconds = 0;
    for (auto const& layout : to)
      if (layout != from) seconds += repack_(net_.tensors()[tensor], from, layout);
    return seconds;
  }

  /// Returns the seconds of each kernel, with the copies of inputs and outputs of the network.
  [[nodiscard]] std::vector<double> costs_of(std::size_t op) const {
    std::vector<double> costs;
    auto const& at = net_.operators()[op];
    for (std::size_t choice = 0; choice < alternatives(op); ++choice) {
      auto cost = at.is_view() ? 0 : choices_[op][choice].seconds;
      for (auto const tensor : inputs_of(op))
        if (net_.tensors()[tensor].origin == tensor_origin::input)
          cost += copying(tensor, plain(tensor), layouts_read(op, choice, tensor));
      for (std::size_t i = 0; i < at.outputs.size(); ++i)
        if (net_.is_output(at.outputs[i]))
          cost += copying(at.outputs[i], result_layout(op, choice, i), {plain(at.outputs[i])});
      costs.push_back(cost);
    }
    return costs;
  }

  /// Adds the edges from the producers of an operator's inputs.
  void connect(std::size_t reader) {
    for (auto const tensor : inputs_of(reader)) {
      auto const producer = net_.producer(tensor);
      if (producer == net_.operators().size()) continue;
      auto const& results = net_.operators()[producer].outputs;
      auto const result = static_cast<std::size_t>(std::find(results.begin(), results.end(), tensor) - results.begin());
      std::vector<double> costs;
      for (std::size_t from = 0; from < alternatives(producer); ++from)
        for (std::size_t to = 0; to < alternatives(reader); ++to)
          costs.push_back(copying(tensor, result_layout(producer, from, result), layouts_read(reader, to, tensor)));
      problem_.add_edge(producer, reader, std::move(costs));
    }
  }

  network_graph const& net_;
  std::vector<std::vector<kernel_choice>> const& choices_;
  repack_cost const& repack_;
  pbqp problem_;
};

}  // namespace detail

chosen_kernels choose_kernels(network_graph const& net, std::vector<std::vector<kernel_choice>> const& choices,
                              repack_cost const& repack) {
  return detail::layout_problem(net, choices, repack).solve();
}

}}  // namespace ttune::v0
