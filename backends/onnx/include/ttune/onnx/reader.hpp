// SPDX-License-Identifier: Apache-2.0
// From a parsed model to a network: converts node after node, and computes at once what depends on constants only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ttune/onnx/model.hpp"
#include "ttune/onnx/options.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class onnx_reader {
 public:
  onnx_reader(onnx_model const& model, onnx_options const& options)
      : model_(model), options_(options), net_{network_graph(model.name), false, {}, {}} {}

  [[nodiscard]] network_graph read();

 private:
  /// A node whose operands are known is computed at once up to this number of terms, about a second.
  static constexpr double most_terms = 1e8;

  void note_readers(std::vector<onnx_node const*> const& nodes);
  void add_inputs();
  [[nodiscard]] std::int64_t extent_of(onnx_input const& input, std::size_t place) const;
  void add_initializers();
  void convert(onnx_node const& node);
  [[nodiscard]] bool fold(onnx_node const& node, onnx_converter const& by);
  [[nodiscard]] bool all_known(onnx_node const& node) const;
  void check_results(onnx_node const& node) const;
  void add_outputs();
  [[nodiscard]] std::size_t result_for(std::string const& output);
  [[nodiscard]] network_graph without_unused() const;

  onnx_model const& model_;
  onnx_options const& options_;
  onnx_network net_;
  onnx_scope scope_;
};

}}}  // namespace ttune::v0::detail

#if TTUNE_PART_BODIES
#include "ttune/onnx/reader.inl.hpp"
#endif
