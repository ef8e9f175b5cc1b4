// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/onnx/error.hpp"
#include "ttune/onnx/model.hpp"

namespace ttune { inline namespace v0 {

std::string onnx_node::text() const { return "node \"" + name + "\" (" + op_type + ")"; }

void onnx_node::wrong_kind(std::string const& attribute, std::string const& wanted) const {
  throw onnx_error(text() + ": attribute " + attribute + " is not " + wanted);
}

onnx_attribute const* onnx_node::find(std::string const& attribute) const {
  auto const at = attributes.find(attribute);
  if (at == attributes.end()) return nullptr;
  if (!at->second.unreadable.empty())
    throw onnx_error(text() + ": attribute " + attribute + ": " + at->second.unreadable);
  return &at->second;
}

std::int64_t onnx_node::integer(std::string const& attribute, std::int64_t otherwise) const {
  auto const* const found = find(attribute);
  if (!found) return otherwise;
  if (found->integers.size() != 1) wrong_kind(attribute, "an integer");
  return found->integers.front();
}

double onnx_node::real(std::string const& attribute, double otherwise) const {
  auto const* const found = find(attribute);
  if (!found) return otherwise;
  if (found->reals.size() != 1) wrong_kind(attribute, "a number");
  return found->reals.front();
}

std::string onnx_node::string(std::string const& attribute, std::string otherwise) const {
  auto const* const found = find(attribute);
  if (!found) return otherwise;
  if (found->texts.size() != 1) wrong_kind(attribute, "a text");
  return found->texts.front();
}

std::vector<std::int64_t> onnx_node::integers(std::string const& attribute, std::vector<std::int64_t> otherwise) const {
  auto const* const found = find(attribute);
  if (!found) return otherwise;
  return found->integers;
}

std::vector<double> onnx_node::reals(std::string const& attribute, std::vector<double> otherwise) const {
  auto const* const found = find(attribute);
  if (!found) return otherwise;
  return found->reals;
}

std::vector<std::string> onnx_node::strings(std::string const& attribute, std::vector<std::string> otherwise) const {
  auto const* const found = find(attribute);
  if (!found) return otherwise;
  return found->texts;
}

onnx_tensor const& onnx_node::tensor(std::string const& attribute) const {
  auto const* const found = find(attribute);
  if (!found || found->tensors.size() != 1) wrong_kind(attribute, "a tensor");
  return found->tensors.front();
}

}}  // namespace ttune::v0
