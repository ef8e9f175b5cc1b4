// SPDX-License-Identifier: Apache-2.0
// From the bytes of a file to an `onnx_model`. The only file that includes the ONNX library, which is used for its
// protobuf messages alone.
#pragma once

// how Debian builds the library
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#include <onnx/onnx_pb.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "ttune/onnx/element_type.hpp"
#include "ttune/onnx/error.hpp"
#include "ttune/onnx/model.hpp"

namespace ttune { inline namespace v0 {
namespace detail {

/// Reads a tensor of a file. Its functions throw onnx_error naming the tensor.
class onnx_tensor_parser {
 public:
  onnx_tensor_parser(::onnx::TensorProto const& from, std::string const& folder) : from_(from), folder_(folder) {}

  [[nodiscard]] onnx_tensor parse() {
    made_.name = from_.name();
    auto const type = onnx_element_type(from_.data_type());
    if (!type) refuse("has element type " + std::to_string(from_.data_type()) + ", which ttune does not have");
    made_.type = *type;
    made_.shape.assign(from_.dims().begin(), from_.dims().end());
    count_ = checked_elements();
    bytes_ = count_ * size_in_bytes(made_.type);
    if (from_.has_segment()) refuse("is stored in segments, which the reader does not join");
    if (from_.data_location() == ::onnx::TensorProto::EXTERNAL) read_external();
    else if (from_.has_raw_data()) copy_raw();
    else copy_typed();
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const { throw onnx_error("tensor \"" + from_.name() + "\" " + why); }

  [[nodiscard]] std::size_t checked_elements() const {
    std::size_t count = 1;
    for (auto const extent : made_.shape) {
      if (extent < 0) refuse("has a negative extent");
      if (extent > 0 && count > (std::size_t{1} << 40) / static_cast<std::size_t>(extent))
        refuse("has more elements than memory could hold");
      count *= static_cast<std::size_t>(extent);
    }
    return count;
  }

  /// Makes room for the content; at least a byte, so that it is not null.
  [[nodiscard]] char* allocate() {
    auto const room = std::make_shared<std::vector<char>>(bytes_ > 0 ? bytes_ : 1);
    made_.content = std::shared_ptr<void const>(room, room->data());
    return room->data();
  }

  void copy_raw() {
    if (from_.raw_data().size() != bytes_)
      refuse("has " + std::to_string(from_.raw_data().size()) + " bytes of data, its shape has " +
             std::to_string(bytes_));
    std::memcpy(allocate(), from_.raw_data().data(), bytes_);
  }

  template <class To, class Values>
  void copy_values(Values const& values) {
    if (static_cast<std::size_t>(values.size()) != count_)
      refuse("has " + std::to_string(values.size()) + " elements of data, its shape has " + std::to_string(count_));
    auto* const to = allocate();
    std::size_t i = 0;
    for (auto const value : values) {
      auto const element = static_cast<To>(value);
      std::memcpy(to + i++ * sizeof(To), &element, sizeof(To));
    }
  }

  void copy_typed() {
    switch (made_.type) {
      case dtype::f32: return copy_values<float>(from_.float_data());
      case dtype::f64: return copy_values<double>(from_.double_data());
      case dtype::i64: return copy_values<std::int64_t>(from_.int64_data());
      case dtype::u64: return copy_values<std::uint64_t>(from_.uint64_data());
      case dtype::u32: return copy_values<std::uint32_t>(from_.uint64_data());
      case dtype::i32: return copy_values<std::int32_t>(from_.int32_data());
      case dtype::boolean:
      case dtype::i8:
      case dtype::u8: return copy_values<std::uint8_t>(from_.int32_data());
      default: return copy_values<std::uint16_t>(from_.int32_data());
    }
  }

  [[nodiscard]] std::uint64_t number_of(std::string const& key, std::string const& text) const {
    if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
      refuse("has external data with " + key + " \"" + text + "\", which is not a number");
    return std::stoull(text);
  }

  void read_external() {
    std::string location;
    std::uint64_t offset = 0;
    for (auto const& entry : from_.external_data()) {
      if (entry.key() == "location") location = entry.value();
      if (entry.key() == "offset") offset = number_of("offset", entry.value());
      if (entry.key() == "length" && number_of("length", entry.value()) != bytes_)
        refuse("has " + entry.value() + " bytes of external data, its shape has " + std::to_string(bytes_));
    }
    std::filesystem::path const path(location);
    if (location.empty() || path.is_absolute() || location.find("..") != std::string::npos)
      refuse("has external data in \"" + location + "\"; it must be a file in the folder of the model");
    auto const full = std::filesystem::path(folder_) / path;
    std::ifstream file(full, std::ios::binary | std::ios::ate);
    if (!file) refuse("has external data in " + full.string() + ", which cannot be opened");
    auto const size = static_cast<std::uint64_t>(file.tellg());
    if (size < offset || size - offset < bytes_)
      refuse("has external data in " + full.string() + ", which is too short: " + std::to_string(size) + " bytes");
    file.seekg(static_cast<std::streamoff>(offset));
    if (!file.read(allocate(), static_cast<std::streamsize>(bytes_)))
      refuse("has external data in " + full.string() + ", which cannot be read");
  }

  ::onnx::TensorProto const& from_;
  std::string const& folder_;
  onnx_tensor made_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

/// Reads the graph of a model.
class onnx_model_parser {
 public:
  onnx_model_parser(::onnx::ModelProto const& from, std::string const& folder) : from_(from), folder_(folder) {}

  [[nodiscard]] onnx_model parse() {
    auto const& graph = from_.graph();
    made_.name = graph.name().empty() ? "onnx" : graph.name();
    for (auto const& set : from_.opset_import()) made_.opsets[domain_of(set.domain())] = set.version();
    made_.opsets.try_emplace("", 1);
    if (graph.sparse_initializer_size() > 0)
      throw onnx_unsupported("model " + made_.name + " has sparse initialisers; store them as dense tensors");
    for (auto const& t : graph.initializer()) {
      made_.initializers.push_back(onnx_tensor_parser(t, folder_).parse());
      initialized_.insert(t.name());
    }
    for (auto const& input : graph.input())
      if (initialized_.count(input.name()) == 0) made_.inputs.push_back(input_of(input));
    for (auto const& node : graph.node()) made_.nodes.push_back(node_of(node));
    for (auto const& output : graph.output()) made_.outputs.push_back(output.name());
    return std::move(made_);
  }

 private:
  [[nodiscard]] static std::string domain_of(std::string const& text) { return text == "ai.onnx" ? "" : text; }

  [[nodiscard]] static onnx_input input_of(::onnx::ValueInfoProto const& from) {
    onnx_input made;
    made.name = from.name();
    if (!from.type().has_tensor_type()) throw onnx_unsupported("input \"" + made.name + "\" is not a tensor");
    auto const& tensor = from.type().tensor_type();
    auto const type = onnx_element_type(tensor.elem_type());
    if (!type)
      throw onnx_error("input \"" + made.name + "\" has element type " + std::to_string(tensor.elem_type()) +
                       ", which ttune does not have");
    made.type = *type;
    made.has_shape = tensor.has_shape();
    for (auto const& extent : tensor.shape().dim())
      made.shape.push_back({extent.has_dim_value() ? extent.dim_value() : -1, extent.dim_param()});
    return made;
  }

  [[nodiscard]] onnx_attribute attribute_of(::onnx::AttributeProto const& from) const {
    using message = ::onnx::AttributeProto;
    onnx_attribute made;
    try {
      switch (from.type()) {
        case message::INT: made.integers = {from.i()}; break;
        case message::FLOAT: made.reals = {static_cast<double>(from.f())}; break;
        case message::STRING: made.texts = {from.s()}; break;
        case message::INTS: made.integers.assign(from.ints().begin(), from.ints().end()); break;
        case message::FLOATS: made.reals.assign(from.floats().begin(), from.floats().end()); break;
        case message::STRINGS: made.texts.assign(from.strings().begin(), from.strings().end()); break;
        case message::TENSOR: made.tensors = {onnx_tensor_parser(from.t(), folder_).parse()}; break;
        default: made.unreadable = "is of a kind that the reader does not know";
      }
    } catch (onnx_error const& failure) {
      made.unreadable = failure.what();
    }
    return made;
  }

  [[nodiscard]] onnx_node node_of(::onnx::NodeProto const& from) const {
    onnx_node made;
    made.op_type = from.op_type();
    made.domain = domain_of(from.domain());
    made.name = from.name().empty() ? from.op_type() + "_" + std::to_string(made_.nodes.size()) : from.name();
    made.inputs.assign(from.input().begin(), from.input().end());
    made.outputs.assign(from.output().begin(), from.output().end());
    for (auto const& attribute : from.attribute()) made.attributes[attribute.name()] = attribute_of(attribute);
    return made;
  }

  ::onnx::ModelProto const& from_;
  std::string const& folder_;
  onnx_model made_;
  std::set<std::string> initialized_;
};

}  // namespace detail

onnx_model parse_onnx(void const* bytes, std::size_t size, std::string const& folder) {
  ::onnx::ModelProto model;
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw onnx_error("a model of more than 2 GiB: store its tensors as external data");
  if (!model.ParseFromArray(bytes, static_cast<int>(size)))
    throw onnx_error("the bytes are no ONNX model, or the file is cut off");
  if (!model.has_graph()) throw onnx_error("the file has no graph: it is no ONNX model, or it is cut off");
  return detail::onnx_model_parser(model, folder).parse();
}

}}  // namespace ttune::v0
