// SPDX-License-Identifier: Apache-2.0
// The parts of an ONNX model that the reader uses, as plain values. Converters see these; the classes of the ONNX
// library stay in onnx/parse.inl.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 {

/// A tensor with a content: an initialiser, or an attribute of a node.
struct onnx_tensor {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::int64_t> shape;
  std::shared_ptr<void const> content;  ///< row-major elements; not null
};

/// An attribute of a node. The vectors are those of the file; an attribute of one number has one element.
struct onnx_attribute {
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string> texts;
  std::vector<onnx_tensor> tensors;
  std::string unreadable;  ///< why the content cannot be used; empty if it can
};

/// A node: one operator with the names of its operands. An empty name stands for an operand that is left out.
struct onnx_node {
  std::string name;  ///< as in the file, or made of the operator type and the place of the node
  std::string op_type;
  std::string domain;  ///< empty for the operators of ONNX itself
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, onnx_attribute> attributes;

  [[nodiscard]] std::string text() const;  ///< such as `node "conv1" (Conv)`
  [[nodiscard]] bool has(std::string const& attribute) const { return attributes.count(attribute) != 0; }
  /// Return the attribute, or the default if the node does not have it. Throw onnx_error, naming node and attribute,
  /// for an attribute of another kind.
  [[nodiscard]] std::int64_t integer(std::string const& attribute, std::int64_t otherwise) const;
  [[nodiscard]] double real(std::string const& attribute, double otherwise) const;
  [[nodiscard]] std::string string(std::string const& attribute, std::string otherwise) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string const& attribute,
                                                   std::vector<std::int64_t> otherwise = {}) const;
  [[nodiscard]] std::vector<double> reals(std::string const& attribute, std::vector<double> otherwise = {}) const;
  [[nodiscard]] std::vector<std::string> strings(std::string const& attribute,
                                                 std::vector<std::string> otherwise = {}) const;
  /// Throws onnx_error if there is no such tensor.
  [[nodiscard]] onnx_tensor const& tensor(std::string const& attribute) const;

 private:
  [[nodiscard]] onnx_attribute const* find(std::string const& attribute) const;
  [[noreturn]] void wrong_kind(std::string const& attribute, std::string const& wanted) const;
};

/// An extent of an input: a number, or a symbol, or neither.
struct onnx_dimension {
  std::int64_t value = -1;  ///< -1: not given
  std::string symbol;
};

/// An input of a model.
struct onnx_input {
  std::string name;
  dtype type = dtype::f32;
  bool has_shape = false;
  std::vector<onnx_dimension> shape;
};

/// A model, as far as the reader uses it.
struct onnx_model {
  std::string name;
  std::map<std::string, std::int64_t> opsets;  ///< version by domain
  std::vector<onnx_input> inputs;              ///< without those that have an initialiser
  std::vector<onnx_tensor> initializers;
  std::vector<onnx_node> nodes;
  std::vector<std::string> outputs;
};

/// Returns the model in the bytes of an ONNX file. `folder` is where files with external data lie. Throws onnx_error
/// for bytes that are no model, for element types that ttune does not have, and for external data that is missing.
[[nodiscard]] onnx_model parse_onnx(void const* bytes, std::size_t size, std::string const& folder);

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/onnx/model.inl.hpp"
#include "ttune/onnx/parse.inl.hpp"
#endif
