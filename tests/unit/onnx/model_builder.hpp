// SPDX-License-Identifier: Apache-2.0
// Builds ONNX models from the classes of the ONNX library.
#pragma once

#include <string>
#include <vector>

#include "model_files.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

inline void set_integers(onnx::NodeProto* node, std::string const& name, std::vector<std::int64_t> const& values) {
  auto* const made = node->add_attribute();
  made->set_name(name);
  made->set_type(onnx::AttributeProto::INTS);
  for (auto const value : values) made->add_ints(value);
}

inline void set_integer(onnx::NodeProto* node, std::string const& name, std::int64_t value) {
  auto* const made = node->add_attribute();
  made->set_name(name);
  made->set_type(onnx::AttributeProto::INT);
  made->set_i(value);
}

/// A model under construction; its parts may be changed through `graph`.
struct model_builder {
  onnx::ModelProto model;
  onnx::GraphProto* graph = model.mutable_graph();

  explicit model_builder(std::int64_t opset = 13) {
    model.add_opset_import()->set_version(opset);
    graph->set_name("built");
  }

  onnx::ValueInfoProto* input(std::string const& name, std::vector<std::int64_t> const& shape,
                              int type = onnx::TensorProto::FLOAT) {
    auto* const made = graph->add_input();
    made->set_name(name);
    auto* const tensor = made->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (auto const extent : shape) tensor->mutable_shape()->add_dim()->set_dim_value(extent);
    return made;
  }

  /// Numbers in [center - 1, center + 1).
  onnx::TensorProto* weights(std::string const& name, std::vector<std::int64_t> const& shape, std::uint64_t seed,
                             double center = 0) {
    auto* const made = graph->add_initializer();
    made->set_name(name);
    made->set_data_type(onnx::TensorProto::FLOAT);
    ttune::rng random(seed);
    std::int64_t count = 1;
    for (auto const extent : shape) {
      made->add_dims(extent);
      count *= extent;
    }
    for (std::int64_t i = 0; i < count; ++i)
      made->add_float_data(static_cast<float>(center - 1 + static_cast<double>(random.below(2000)) / 1000));
    return made;
  }

  void integers(std::string const& name, std::vector<std::int64_t> const& values) {
    auto* const made = graph->add_initializer();
    made->set_name(name);
    made->set_data_type(onnx::TensorProto::INT64);
    made->add_dims(static_cast<std::int64_t>(values.size()));
    for (auto const value : values) made->add_int64_data(value);
  }

  /// Integers of a type of 8 bits.
  void bytes(std::string const& name, std::vector<std::int64_t> const& shape, int type,
             std::vector<std::int64_t> const& values) {
    auto* const made = graph->add_initializer();
    made->set_name(name);
    made->set_data_type(type);
    for (auto const extent : shape) made->add_dims(extent);
    for (auto const value : values) made->add_int32_data(static_cast<std::int32_t>(value));
  }

  onnx::NodeProto* node(std::string const& type, std::vector<std::string> const& inputs, std::string const& output) {
    auto* const made = graph->add_node();
    made->set_op_type(type);
    made->set_name(type + "_" + output);
    for (auto const& input : inputs) made->add_input(input);
    made->add_output(output);
    return made;
  }

  void output(std::string const& name) { graph->add_output()->set_name(name); }
};

}  // namespace ttune_test
