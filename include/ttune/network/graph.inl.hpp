// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/capture/bind.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/network/graph.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

divided_operands divide_operands(kernel_signature const& signature) {
  divided_operands made;
  for (auto const& o : signature.operands)
    (o.direction == operand_direction::out ? made.results : made.inputs).push_back(o);
  return made;
}

std::string const& network_compute::name() const noexcept { return program->name; }

std::int64_t network_tensor::elements() const noexcept {
  std::int64_t count = 1;
  for (auto const extent : shape) count *= extent;
  return count;
}

std::int64_t network_tensor::bytes() const noexcept {
  return elements() * static_cast<std::int64_t>(size_in_bytes(type));
}

std::string network_tensor::text() const { return name + " " + name_of(type) + " " + ir::shape_text(shape); }

void network_graph::refuse(std::string const& why) const { throw program_error("network " + name_ + ": " + why); }

void network_graph::check_name(std::string const& tensor) const {
  if (tensor.empty()) refuse("a tensor has no name");
  for (auto const& known : tensors_)
    if (known.origin != tensor_origin::result && known.name == tensor)
      refuse("there is a tensor named " + tensor + " already");
}

std::size_t network_graph::add_tensor(network_tensor made) {
  for (auto const extent : made.shape)
    if (extent < 1) refuse(made.text() + " has an extent below 1");
  tensors_.push_back(std::move(made));
  return tensors_.size() - 1;
}

std::size_t network_graph::add_input(std::string name, dtype type, std::vector<std::int64_t> shape) {
  check_name(name);
  auto const made = add_tensor({std::move(name), type, std::move(shape), tensor_origin::input});
  inputs_.push_back(made);
  return made;
}

std::size_t network_graph::add_weights(std::string name, dtype type, std::vector<std::int64_t> shape,
                                       std::shared_ptr<void const> content) {
  check_name(name);
  if (!content) refuse("weights " + name + " have no content");
  return add_tensor({std::move(name), type, std::move(shape), tensor_origin::weights, std::move(content)});
}

void network_graph::check_program(std::string const& op, ir::program const& program) const {
  if (auto const open = capture::open_dims(program); !open.empty())
    refuse("dim " + open[0] + " of operator " + op + " is not constant: bind it with op.at({{" + open[0] + ", 64}})");
  auto const refuse_strides = [&](std::string const& operand) {
    refuse("operand " + operand + " of operator " + op + " is strided: a network's tensors have no gaps");
  };
  for (auto const& t : program.inputs) {
    if (t->order == ir::layout::column_major)
      refuse("operand " + t->name + " of operator " + op + " is column-major: declare it row-major");
    if (t->strides != operand_strides::dense) refuse_strides(t->name);
  }
  for (auto const& s : program.outputs)
    if (s->strides != operand_strides::dense) refuse_strides(s->name);
}

void network_graph::check_operands(std::string const& op, std::vector<operand_info> const& wanted,
                                   std::vector<std::size_t> const& given) const {
  if (given.size() != wanted.size())
    refuse("operator " + op + " has " + std::to_string(wanted.size()) + " inputs, " + std::to_string(given.size()) +
           " are given");
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] >= tensors_.size()) refuse("operator " + op + " reads a tensor that does not exist");
    auto const& operand = wanted[i];
    auto const& tensor = tensors_[given[i]];
    if (operand.direction == operand_direction::inout)
      refuse("operator " + op + " updates " + operand.name +
             " in place, which networks cannot do: make it an input, and an output of another name");
    if (operand.type != tensor.type || operand.shape != tensor.shape)
      refuse("operand " + operand.name + " of operator " + op + " is " + name_of(operand.type) + " " +
             ir::shape_text(operand.shape) + ", and gets " + tensor.text());
  }
}

std::vector<std::size_t> network_graph::add_operator(std::string name, std::vector<network_compute> computes,
                                                     std::vector<std::size_t> inputs) {
  if (computes.empty()) refuse("operator " + name + " has no compute");
  if (name.empty()) name = computes.front().name();
  std::vector<operand_info> results;
  for (auto const& one : computes) {
    check_program(name, *one.program);
    auto [in, out] = divide_operands(signature_of(one.program));
    check_operands(name, in, inputs);
    auto const same = [](operand_info const& a, operand_info const& b) {
      return a.type == b.type && a.shape == b.shape;
    };
    if (!results.empty() && !std::equal(out.begin(), out.end(), results.begin(), results.end(), same))
      refuse("the computes of operator " + name + " have different results");
    results = std::move(out);
  }
  network_operator made{name, std::move(computes), std::move(inputs), {}};
  for (auto& result : results) {
    auto const full_name = results.size() == 1 ? name : name + "." + result.name;
    made.outputs.push_back(add_tensor({full_name, result.type, std::move(result.shape)}));
  }
  operators_.push_back(std::move(made));
  return operators_.back().outputs;
}

std::size_t network_graph::add_view(std::string name, std::size_t of, std::vector<std::int64_t> shape) {
  if (of >= tensors_.size()) refuse("view " + name + " is of a tensor that does not exist");
  network_tensor made{name, tensors_[of].type, std::move(shape)};
  if (made.elements() != tensors_[of].elements())
    refuse("view " + made.text() + " has another number of elements than " + tensors_[of].text());
  auto const index = add_tensor(std::move(made));
  operators_.push_back({std::move(name), {}, {of}, {index}});
  return index;
}

void network_graph::add_output(std::string name, std::size_t tensor) {
  if (tensor >= tensors_.size()) refuse("output " + name + " is a tensor that does not exist");
  if (tensors_[tensor].origin != tensor_origin::result)
    refuse("output " + name + " is " + tensors_[tensor].name + ", which no operator computes");
  if (is_output(tensor)) refuse("output " + name + " is an output already: " + tensors_[tensor].name);
  if (!name.empty()) tensors_[tensor].name = std::move(name);
  outputs_.push_back(tensor);
}

network_graph network_graph::with_operators(std::vector<network_operator> operators) const {
  auto made = *this;
  made.operators_ = std::move(operators);
  return made;
}

network_graph network_graph::without_content() const {
  auto made = *this;
  for (auto& tensor : made.tensors_) tensor.content.reset();
  return made;
}

std::vector<std::size_t> network_graph::readers(std::size_t tensor) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < operators_.size(); ++i)
    if (auto const& in = operators_[i].inputs; std::find(in.begin(), in.end(), tensor) != in.end()) found.push_back(i);
  return found;
}

std::size_t network_graph::producer(std::size_t tensor) const {
  for (std::size_t i = 0; i < operators_.size(); ++i)
    if (auto const& out = operators_[i].outputs; std::find(out.begin(), out.end(), tensor) != out.end()) return i;
  return operators_.size();
}

bool network_graph::is_output(std::size_t tensor) const {
  return std::find(outputs_.begin(), outputs_.end(), tensor) != outputs_.end();
}

std::string network_graph::text() const {
  std::string made = "network " + name_ + "\n";
  for (auto const& op : operators_) {
    made += "  " + op.name + (op.is_view() ? " = view" : " = " + op.computes.front().name()) + "(";
    for (std::size_t i = 0; i < op.inputs.size(); ++i) made += (i == 0 ? "" : ", ") + tensors_[op.inputs[i]].name;
    made += ") -> ";
    for (std::size_t i = 0; i < op.outputs.size(); ++i)
      made += (i == 0 ? "" : ", ") + std::string(name_of(tensors_[op.outputs[i]].type)) + " " +
              ir::shape_text(tensors_[op.outputs[i]].shape);
    made += "\n";
  }
  return made;
}

}}  // namespace ttune::v0
