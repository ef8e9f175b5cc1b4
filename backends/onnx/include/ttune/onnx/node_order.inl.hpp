// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "ttune/onnx/error.hpp"
#include "ttune/onnx/node_order.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class node_sorter {
 public:
  explicit node_sorter(onnx_model const& model) : model_(model) {
    for (auto const& input : model.inputs) define(input.name, nullptr);
    for (auto const& tensor : model.initializers) define(tensor.name, nullptr);
    for (auto const& node : model.nodes)
      for (auto const& output : node.outputs)
        if (!output.empty()) define(output, &node);
  }

  [[nodiscard]] std::vector<onnx_node const*> sort() {
    for (auto const& output : model_.outputs) {
      auto const at = producers_.find(output);
      if (at == producers_.end())
        throw onnx_error("model " + model_.name + ": nothing computes output \"" + output + "\"");
      visit(at->second);
    }
    return std::move(order_);
  }

 private:
  enum class state { unseen, open, done };
  struct visited {
    onnx_node const* node;
    std::size_t next;  ///< input
  };

  void define(std::string const& name, onnx_node const* by) {
    if (!producers_.try_emplace(name, by).second)
      throw onnx_error((by ? by->text() : "model " + model_.name) + ": there is a tensor \"" + name + "\" already");
  }

  [[nodiscard]] onnx_node const* producer(onnx_node const& reader, std::string const& name) const {
    if (name.empty()) return nullptr;
    auto const at = producers_.find(name);
    if (at == producers_.end()) throw onnx_error(reader.text() + ": nothing computes its input \"" + name + "\"");
    return at->second;
  }

  /// Appends a node behind those that it depends on. Models are deep: this keeps its own stack.
  void visit(onnx_node const* first) {
    open(first);
    while (!stack_.empty()) {
      auto& top = stack_.back();
      if (top.next < top.node->inputs.size()) {
        auto const& name = top.node->inputs[top.next++];
        open(producer(*top.node, name), &name);
        continue;
      }
      states_[top.node] = state::done;
      order_.push_back(top.node);
      stack_.pop_back();
    }
  }

  void open(onnx_node const* node, std::string const* name = nullptr) {
    if (!node) return;
    auto& now = states_[node];
    if (now == state::open)
      throw onnx_error(node->text() + ": its output \"" + (name ? *name : "") + "\" depends on itself, in a cycle");
    if (now == state::unseen) {
      now = state::open;
      stack_.push_back({node, 0});
    }
  }

  onnx_model const& model_;
  std::map<std::string, onnx_node const*> producers_;  ///< null: inputs and initialisers
  std::map<onnx_node const*, state> states_;
  std::vector<visited> stack_;
  std::vector<onnx_node const*> order_;
};

std::vector<onnx_node const*> needed_nodes(onnx_model const& model) { return node_sorter(model).sort(); }

}}}  // namespace ttune::v0::detail
