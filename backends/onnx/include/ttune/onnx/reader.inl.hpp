// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <exception>
#include <utility>

#include "ttune/network/evaluate.hpp"
#include "ttune/onnx/error.hpp"
#include "ttune/onnx/kernel.hpp"
#include "ttune/onnx/node_order.hpp"
#include "ttune/onnx/reader.hpp"

namespace ttune { inline namespace v0 { namespace detail {

network_graph onnx_reader::read() try {
  if (model_.outputs.empty()) throw onnx_error("model " + model_.name + " has no outputs");
  scope_.opsets = model_.opsets;
  scope_.outputs.insert(model_.outputs.begin(), model_.outputs.end());
  auto const nodes = needed_nodes(model_);
  note_readers(nodes);
  add_inputs();
  add_initializers();
  for (auto const* node : nodes)
    if (scope_.absorbed.count(node) == 0) convert(*node);
  add_outputs();
  return without_unused();
} catch (onnx_error const&) {
  throw;
} catch (error const& failure) {
  throw onnx_error(failure.what());
}

void onnx_reader::note_readers(std::vector<onnx_node const*> const& nodes) {
  for (auto const* node : nodes)
    for (auto const& input : node->inputs)
      if (!input.empty()) scope_.readers[input].push_back(node);
}

std::int64_t onnx_reader::extent_of(onnx_input const& input, std::size_t place) const {
  auto const& given = input.shape[place];
  if (given.value >= 1) return given.value;
  if (auto const at = options_.dimensions.find(given.symbol); !given.symbol.empty() && at != options_.dimensions.end())
    return at->second;
  throw onnx_error("input \"" + input.name + "\": dimension " + std::to_string(place) +
                   (given.symbol.empty() ? " has no extent: give onnx_options::shapes[\"" + input.name + "\"]"
                                         : " is the symbol " + given.symbol + ": give onnx_options::dimensions[\"" +
                                               given.symbol + "\"]"));
}

void onnx_reader::add_inputs() {
  for (auto const& input : model_.inputs) {
    std::vector<std::int64_t> shape;
    if (auto const at = options_.shapes.find(input.name); at != options_.shapes.end()) shape = at->second;
    else if (input.has_shape)
      for (std::size_t d = 0; d < input.shape.size(); ++d) shape.push_back(extent_of(input, d));
    else
      throw onnx_error("input \"" + input.name + "\" has no shape: give onnx_options::shapes[\"" + input.name + "\"]");
    double count = 1;
    for (auto const extent : shape) count *= static_cast<double>(extent);
    if (count > 0x1p40) throw onnx_error("input \"" + input.name + "\" has more elements than memory could hold");
    auto const tensor = net_.graph.add_input(input.name, input.type, shape);
    net_.names.insert(input.name);
    scope_.values[input.name] = {input.name, input.type, std::move(shape), tensor, nullptr};
  }
}

void onnx_reader::add_initializers() {
  for (auto const& one : model_.initializers) scope_.values[one.name] = {one.name, one.type, one.shape, 0, one.content};
}

void onnx_reader::convert(onnx_node const& node) {
  auto const* const by = options_.converters.find(node.op_type, node.domain);
  onnx_context to(node, scope_, net_);
  if (!by)
    to.unsupported("there is no converter for operator " + (node.domain.empty() ? "" : node.domain + ".") +
                   node.op_type + "; add one to onnx_options::converters");
  try {
    if (!all_known(node) || !fold(node, *by)) (*by)(to, node);
    check_results(node);
  } catch (onnx_error const&) {
    throw;
  } catch (std::exception const& failure) {
    throw onnx_error(node.text() + ": " + failure.what());
  }
}

void onnx_reader::check_results(onnx_node const& node) const {
  for (auto const& output : node.outputs)
    if (scope_.values.count(output) == 0 && (scope_.outputs.count(output) != 0 || scope_.readers.count(output) != 0) &&
        !output.empty()) {
      auto const absorbed = scope_.readers.find(output);
      if (absorbed != scope_.readers.end() && scope_.absorbed.count(absorbed->second.front()) != 0) continue;
      throw onnx_unsupported(node.text() + ": output \"" + output + "\" is not computed by the converter");
    }
}

bool onnx_reader::all_known(onnx_node const& node) const {
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](std::string const& name) { return name.empty() || scope_.values.at(name).is_known(); });
}

/// Returns the number of terms that a program adds up, or of elements that it computes.
[[nodiscard]] inline double terms_of(ir::program const& program) {
  double sum = 0;
  for (auto const& stage : program.stages) {
    double terms = 1;
    for (auto const& axis : stage->axes) terms *= static_cast<double>(axis.size());
    for (auto const& axis : stage->reduction.axes) terms *= static_cast<double>(axis.size());
    sum += terms;
  }
  return sum;
}

/// Returns false if the results take too long to compute.
bool onnx_reader::fold(onnx_node const& node, onnx_converter const& by) {
  onnx_network apart{network_graph(node.name), true, {}, {}};
  onnx_context to(node, scope_, apart);
  by(to, node);
  double terms = 0;
  for (auto const& op : apart.graph.operators())
    if (!op.is_view()) terms += terms_of(*op.computes.front().program);
  std::vector<std::string> computed;
  for (auto const& output : node.outputs)
    if (auto const at = scope_.values.find(output); at != scope_.values.end() && !at->second.is_known())
      computed.push_back(output);
  if (terms > most_terms) {
    for (auto const& output : node.outputs) scope_.values.erase(output);
    return false;
  }
  for (auto const& output : computed) apart.graph.add_output(output, scope_.values[output].tensor);
  if (computed.empty()) return true;
  auto const results = evaluate(apart.graph, {});
  for (std::size_t i = 0; i < computed.size(); ++i) {
    auto& value = scope_.values[computed[i]];
    auto bytes = std::move(value.bytes);
    value = known_value(computed[i], results[i]);
    value.bytes = std::move(bytes);
  }
  return true;
}

/// Returns a result of the network that is no output yet: others are copied.
std::size_t onnx_reader::result_for(std::string const& output) {
  auto const& value = scope_.values.at(output);
  if (!value.is_known() && net_.graph.tensors()[value.tensor].origin == tensor_origin::result &&
      !net_.graph.is_output(value.tensor))
    return value.tensor;
  onnx_node const copy{output, "Identity", "", {output}, {output}, {}};
  onnx_context to(copy, scope_, net_);
  onnx_kernel made(to);
  auto const from = made.read(value);
  return made.finish(made.map(value.type, value.shape, [&](auto const& at) { return from(at); })).tensor;
}

void onnx_reader::add_outputs() {
  for (auto const& output : model_.outputs) net_.graph.add_output(output, result_for(output));
}

network_graph onnx_reader::without_unused() const {
  auto const& graph = net_.graph;
  std::vector<bool> needed(graph.tensors().size(), false);
  for (auto const output : graph.outputs()) needed[output] = true;
  std::vector<network_operator> kept;
  for (auto op = graph.operators().rbegin(); op != graph.operators().rend(); ++op) {
    if (std::none_of(op->outputs.begin(), op->outputs.end(), [&](std::size_t one) { return needed[one]; })) continue;
    for (auto const input : op->inputs) needed[input] = true;
    kept.push_back(*op);
  }
  std::reverse(kept.begin(), kept.end());
  return graph.with_operators(std::move(kept));
}

}}}  // namespace ttune::v0::detail
