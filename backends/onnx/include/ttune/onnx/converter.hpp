// SPDX-License-Identifier: Apache-2.0
// Converters: functions that turn a node of an ONNX model into operators of a network. There is one per operator type;
// users add their own:
//
//   ttune::onnx_options options;
//   options.converters.add("Twice", [](ttune::onnx_context& to, ttune::onnx_node const&) {
//     auto const& x = to.input(0);
//     ttune::onnx_kernel made(to);
//     auto const X = made.read(x);
//     made.result(x.type, x.shape, [&](auto const& at) { return X(at) + X(at); });
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/network/graph.hpp"
#include "ttune/onnx/model.hpp"
#include "ttune/onnx/value.hpp"

namespace ttune { inline namespace v0 {

class onnx_context;

/// Converts a node: reads `onnx_context::input`, adds operators, and gives each used output a value.
using onnx_converter = std::function<void(onnx_context&, onnx_node const&)>;

/// The converters by operator type and domain.
class onnx_converters {
 public:
  /// Returns the converters of this library (backends/onnx/README.md lists them).
  [[nodiscard]] static onnx_converters standard();

  /// Adds a converter, or replaces that of the same type.
  void add(std::string op_type, onnx_converter made, std::string domain = "") {
    all_[{std::move(domain), std::move(op_type)}] = std::move(made);
  }
  /// Returns null if there is none.
  [[nodiscard]] onnx_converter const* find(std::string const& op_type, std::string const& domain) const {
    auto const at = all_.find({domain, op_type});
    return at == all_.end() ? nullptr : &at->second;
  }
  /// Returns the operator types of a domain, sorted.
  [[nodiscard]] std::vector<std::string> types(std::string const& domain = "") const {
    std::vector<std::string> made;
    for (auto const& one : all_)
      if (one.first.first == domain) made.push_back(one.first.second);
    return made;
  }

 private:
  std::map<std::pair<std::string, std::string>, onnx_converter> all_;
};

/// The values of all names of a model, and the nodes that read each name.
struct onnx_scope {
  std::map<std::string, onnx_value> values;
  std::map<std::string, std::vector<onnx_node const*>> readers;
  std::set<std::string> outputs;  ///< of the model
  std::map<std::string, std::int64_t> opsets;
  std::set<onnx_node const*> absorbed;  ///< nodes whose results an earlier node computes
};

/// The network that is built, and the weights that it has.
struct onnx_network {
  network_graph graph;
  bool folds = false;  ///< all operands are known, and the results are computed at once
  std::map<std::pair<void const*, std::vector<std::int64_t>>, std::size_t> weights;
  std::set<std::string> names;  ///< of inputs and weights
};

/// The place of a converter: the node's operands, and the network it adds to. Functions throw onnx_error, naming the
/// node, for what does not fit.
class onnx_context {
 public:
  onnx_context(onnx_node const& node, onnx_scope& scope, onnx_network& net) : node_(node), scope_(scope), net_(net) {}

  [[nodiscard]] onnx_node const& node() const noexcept { return node_; }
  [[nodiscard]] std::int64_t opset() const;  ///< version of the node's domain

  [[nodiscard]] bool has_input(std::size_t at) const;
  /// Throws onnx_error if the operand is left out.
  [[nodiscard]] onnx_value const& input(std::size_t at) const;
  /// Returns the integers of a known operand; `otherwise` if it is left out.
  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t at, std::vector<std::int64_t> otherwise = {}) const;
  /// Returns the numbers of a known operand; `otherwise` if it is left out.
  [[nodiscard]] std::vector<double> reals(std::size_t at, std::vector<double> otherwise = {}) const;
  /// Returns the integers of an attribute, or since version `since` of the operators those of an operand.
  [[nodiscard]] std::vector<std::int64_t> integers(std::string const& attribute, std::size_t at, std::int64_t since,
                                                   std::vector<std::int64_t> otherwise = {}) const;
  /// Returns a dimension of a value of this rank; negative ones count from the end.
  [[nodiscard]] std::size_t dimension(std::int64_t given, std::size_t rank) const;

  /// Returns true if something reads this output.
  [[nodiscard]] bool is_used(std::size_t output) const;
  /// Gives an output its value.
  void set_output(std::size_t output, onnx_value value);
  /// Adds an operator; returns its results.
  std::vector<onnx_value> add(std::vector<network_compute> computes, std::vector<onnx_value> const& inputs);
  /// Returns the same elements with another shape.
  [[nodiscard]] onnx_value view(onnx_value const& of, std::vector<std::int64_t> shape);
  /// Returns the place of a value in the network; known values become weights.
  [[nodiscard]] std::size_t tensor_of(onnx_value const& value);

  /// Returns the node that alone reads this output, if the node has this type; else null. `absorb` makes it a part of
  /// this node: its first output gets a value here.
  [[nodiscard]] onnx_node const* only_reader(std::size_t output, std::string const& op_type) const;
  void absorb(onnx_node const& reader, onnx_value value);
  /// Returns the value of a name; null if it is not known yet.
  [[nodiscard]] onnx_value const* find(std::string const& name) const;

  [[noreturn]] void refuse(std::string const& why) const;       ///< the model is wrong: throws onnx_error
  [[noreturn]] void unsupported(std::string const& why) const;  ///< throws onnx_unsupported
  void check(bool holds, char const* why) const {
    if (!holds) refuse(why);
  }

 private:
  [[nodiscard]] ir::ndarray known_input(std::size_t at) const;
  void check_size(onnx_value const& made) const;

  onnx_node const& node_;
  onnx_scope& scope_;
  onnx_network& net_;
};

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/onnx/converter.inl.hpp"
#endif
