// SPDX-License-Identifier: Apache-2.0
// The models and tensors of Debian's libonnx-testdata, and comparison with expected tensors.
#pragma once

#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "ttune/ir/ndarray.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/onnx.hpp"
#include "ttune/onnx/element_type.hpp"

namespace ttune_test {

inline std::filesystem::path const onnx_data = "/usr/share/libonnx-testdata/data";

inline std::string bytes_of_file(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::span<std::byte const> bytes_of(std::string const& text) {
  return {reinterpret_cast<std::byte const*>(text.data()), text.size()};
}

inline ttune::network_graph read(onnx::ModelProto const& model, ttune::onnx_options const& options = {}) {
  auto const text = model.SerializeAsString();
  return ttune::read_onnx(bytes_of(text), options);
}

/// Returns the elements of a tensor of a file, through a model that returns it.
inline ttune::ir::ndarray elements_of(onnx::TensorProto const& tensor) {
  onnx::ModelProto model;
  model.add_opset_import()->set_version(13);
  auto* const graph = model.mutable_graph();
  *graph->add_initializer() = tensor;
  graph->mutable_initializer(0)->set_name("it");
  graph->add_output()->set_name("it");
  return evaluate(read(model), {}).front();
}

/// The tensors `test_data_set_0/KIND_0.pb` and so on of a test; false if one is no tensor that ttune has.
inline bool read_tensors(std::filesystem::path const& test, std::string const& kind,
                         std::vector<onnx::TensorProto>& made) {
  for (int i = 0;; ++i) {
    auto const path = test / "test_data_set_0" / (kind + "_" + std::to_string(i) + ".pb");
    if (!std::filesystem::exists(path)) return true;
    onnx::TensorProto tensor;
    if (!tensor.ParseFromString(bytes_of_file(path)) || !ttune::onnx_element_type(tensor.data_type())) return false;
    made.push_back(tensor);
  }
}

/// Floats may differ by `relative` of the expected one and by 1e-6, integers by `steps`.
struct tolerance {
  double relative = 1e-3;
  std::int64_t steps = 0;
};

/// Returns why tensors differ; empty if they do not.
inline std::string difference(ttune::ir::ndarray const& found, ttune::ir::ndarray const& expected,
                              tolerance const& allowed) {
  if (found.type != expected.type) return "another type";
  if (found.shape != expected.shape) return "another shape";
  for (std::size_t i = 0; i < found.integers.size(); ++i)
    if (std::abs(found.integers[i] - expected.integers[i]) > allowed.steps)
      return "element " + std::to_string(i) + " is " + std::to_string(found.integers[i]) + ", not " +
             std::to_string(expected.integers[i]);
  for (std::size_t i = 0; i < found.reals.size(); ++i) {
    auto const a = found.reals[i], b = expected.reals[i];
    if ((std::isnan(a) && std::isnan(b)) || a == b) continue;
    if (!(std::abs(a - b) <= allowed.relative * std::abs(b) + 1e-6))
      return "element " + std::to_string(i) + " is " + std::to_string(a) + ", not " + std::to_string(b);
  }
  return {};
}

/// Makes inputs of a model initialisers with their values: converters need the operands that are shapes.
inline onnx::ModelProto with_constants(onnx::ModelProto model, std::vector<onnx::TensorProto> const& values,
                                       std::vector<bool> const& constant) {
  auto* const graph = model.mutable_graph();
  auto const inputs = graph->input();
  graph->clear_input();
  for (int i = 0; i < inputs.size(); ++i) {
    if (static_cast<std::size_t>(i) >= constant.size() || !constant[static_cast<std::size_t>(i)]) {
      *graph->add_input() = inputs[i];
      continue;
    }
    *graph->add_initializer() = values.at(static_cast<std::size_t>(i));
    graph->mutable_initializer(graph->initializer_size() - 1)->set_name(inputs[i].name());
  }
  return model;
}

/// The choices of operands that become constants, in the order in which they are tried: none, all but floats, all but
/// the first, all.
inline std::vector<std::vector<bool>> choices_of_constants(std::vector<onnx::TensorProto> const& inputs) {
  std::vector<std::vector<bool>> made(4, std::vector<bool>(inputs.size(), false));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    made[1][i] = inputs[i].data_type() != onnx::TensorProto::FLOAT;
    made[2][i] = i > 0;
    made[3][i] = true;
  }
  return made;
}

/// Reads a model with the first choice of constants that the reader takes.
inline ttune::network_graph read_with_constants(onnx::ModelProto const& model,
                                                std::vector<onnx::TensorProto> const& inputs,
                                                std::vector<bool>& constant, std::size_t first_choice = 0) {
  auto const choices = choices_of_constants(inputs);
  for (auto i = first_choice;; ++i) {
    constant = choices[i];
    try {
      return read(with_constants(model, inputs, constant));
    } catch (ttune::onnx_error const&) {
      if (i + 1 == choices.size()) throw;
    }
  }
}

}  // namespace ttune_test
