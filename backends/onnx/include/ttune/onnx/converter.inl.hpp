// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ttune/ir/verify.hpp"
#include "ttune/onnx/converter.hpp"
#include "ttune/onnx/error.hpp"

namespace ttune { inline namespace v0 {

void onnx_context::refuse(std::string const& why) const { throw onnx_error(node_.text() + ": " + why); }

void onnx_context::unsupported(std::string const& why) const {
  throw onnx_unsupported(node_.text() + ", opset " + std::to_string(opset()) + ": " + why);
}

std::int64_t onnx_context::opset() const {
  auto const at = scope_.opsets.find(node_.domain);
  return at == scope_.opsets.end() ? 1 : at->second;
}

bool onnx_context::has_input(std::size_t at) const { return at < node_.inputs.size() && !node_.inputs[at].empty(); }

onnx_value const& onnx_context::input(std::size_t at) const {
  if (!has_input(at)) refuse("input " + std::to_string(at) + " is left out");
  return scope_.values.at(node_.inputs[at]);
}

ir::ndarray onnx_context::known_input(std::size_t at) const {
  auto const& value = input(at);
  if (!value.is_known()) unsupported("input " + value.text() + " must be a constant");
  return elements_of(value);
}

std::vector<std::int64_t> onnx_context::integers(std::size_t at, std::vector<std::int64_t> otherwise) const {
  if (!has_input(at)) return otherwise;
  auto const known = known_input(at);
  if (!is_integer(known.type)) refuse("input " + input(at).text() + " must have integers");
  return known.integers;
}

std::vector<double> onnx_context::reals(std::size_t at, std::vector<double> otherwise) const {
  if (!has_input(at)) return otherwise;
  auto const known = known_input(at);
  std::vector<double> made(static_cast<std::size_t>(known.elements()));
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = known.number(i);
  return made;
}

std::vector<std::int64_t> onnx_context::integers(std::string const& attribute, std::size_t at, std::int64_t since,
                                                 std::vector<std::int64_t> otherwise) const {
  return opset() >= since ? integers(at, std::move(otherwise)) : node_.integers(attribute, std::move(otherwise));
}

std::size_t onnx_context::dimension(std::int64_t given, std::size_t rank) const {
  auto const limit = static_cast<std::int64_t>(rank);
  if (given < -limit || given >= limit)
    refuse("dimension " + std::to_string(given) + " of a tensor with " + std::to_string(rank) + " dimensions");
  return static_cast<std::size_t>(given < 0 ? given + limit : given);
}

bool onnx_context::is_used(std::size_t output) const {
  if (output >= node_.outputs.size() || node_.outputs[output].empty()) return false;
  auto const& name = node_.outputs[output];
  auto const at = scope_.readers.find(name);
  return scope_.outputs.count(name) != 0 || (at != scope_.readers.end() && !at->second.empty());
}

void onnx_context::check_size(onnx_value const& made) const {
  double count = static_cast<double>(size_in_bytes(made.type));
  for (auto const extent : made.shape) {
    if (extent < 0) refuse("a result has a negative extent");
    count *= static_cast<double>(extent);
  }
  if (count > 0x1p40) refuse("the result needs more than a TiB");
}

void onnx_context::set_output(std::size_t output, onnx_value value) {
  if (output >= node_.outputs.size() || node_.outputs[output].empty()) return;
  check_size(value);
  if (value.is_known()) value.name = node_.outputs[output];
  scope_.values[node_.outputs[output]] = std::move(value);
}

std::size_t onnx_context::tensor_of(onnx_value const& value) {
  if (!value.is_known()) return value.tensor;
  auto const [at, is_new] = net_.weights.try_emplace({value.content.get(), value.shape}, 0);
  if (!is_new) return at->second;
  auto name = value.name.empty() ? node_.name + ".constant" : value.name;
  for (int number = 1; !net_.names.insert(name).second; ++number) name = value.name + "." + std::to_string(number);
  at->second = net_.graph.add_weights(name, value.type, value.shape, value.content);
  return at->second;
}

std::vector<onnx_value> onnx_context::add(std::vector<network_compute> computes,
                                          std::vector<onnx_value> const& inputs) {
  std::vector<std::size_t> tensors;
  for (auto const& one : inputs) {
    check_size(one);
    tensors.push_back(tensor_of(one));
  }
  for (auto const& one : computes) ir::verify(*one.program);
  std::vector<onnx_value> made;
  for (auto const tensor : net_.graph.add_operator(node_.name, std::move(computes), tensors)) {
    auto const& result = net_.graph.tensors()[tensor];
    made.push_back({result.name, result.type, result.shape, tensor, nullptr});
    check_size(made.back());
  }
  return made;
}

onnx_value onnx_context::view(onnx_value const& of, std::vector<std::int64_t> shape) {
  auto made = of;
  made.shape = std::move(shape);
  check_size(made);
  if (made.elements() != of.elements()) refuse("the elements of " + of.text() + " do not fit the new shape");
  if (made.shape == of.shape) return made;
  if (!made.is_known()) made.tensor = net_.graph.add_view(node_.name, of.tensor, made.shape);
  made.bytes = nullptr;
  if (of.bytes && of.bytes->is_even())
    made.bytes = std::make_shared<onnx_bytes const>(
        onnx_bytes{view(of.bytes->integers, made.shape), of.bytes->scale, of.bytes->zero});
  return made;
}

onnx_node const* onnx_context::only_reader(std::size_t output, std::string const& op_type) const {
  if (net_.folds || output >= node_.outputs.size() || scope_.outputs.count(node_.outputs[output]) != 0) return nullptr;
  auto const at = scope_.readers.find(node_.outputs[output]);
  if (at == scope_.readers.end() || at->second.size() != 1) return nullptr;
  auto const* const reader = at->second.front();
  return reader->op_type == op_type && reader->domain.empty() ? reader : nullptr;
}

void onnx_context::absorb(onnx_node const& reader, onnx_value value) {
  scope_.absorbed.insert(&reader);
  scope_.values[reader.outputs.at(0)] = std::move(value);
}

onnx_value const* onnx_context::find(std::string const& name) const {
  auto const at = scope_.values.find(name);
  return at == scope_.values.end() ? nullptr : &at->second;
}

}}  // namespace ttune::v0
