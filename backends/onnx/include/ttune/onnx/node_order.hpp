// SPDX-License-Identifier: Apache-2.0
// The nodes that the outputs of a model need, each after those that it depends on.
#pragma once

#include <vector>

#include "ttune/onnx/model.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Throws onnx_error, naming node and tensor, for a cycle, a name that nothing gives a value, and one that two nodes
/// give a value. Takes time proportional to the number of names.
[[nodiscard]] std::vector<onnx_node const*> needed_nodes(onnx_model const& model);

}}}  // namespace ttune::v0::detail

#if TTUNE_PART_BODIES
#include "ttune/onnx/node_order.inl.hpp"
#endif
