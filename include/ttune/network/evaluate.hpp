// SPDX-License-Identifier: Apache-2.0
// Executes a network with the interpreter (ir/interpret.hpp): the reference of passes over networks and of tuned ones.
#pragma once

#include <vector>

#include "ttune/ir/ndarray.hpp"
#include "ttune/network/graph.hpp"

namespace ttune { inline namespace v0 {

/// Returns the outputs of a network; `inputs` are in the order of `net.inputs()`. Operators compute as their first
/// compute says. Costs about 10 ns per operation. Throws argument_error for inputs of another number, type or shape.
[[nodiscard]] std::vector<ir::ndarray> evaluate(network_graph const& net, std::vector<ir::ndarray> const& inputs);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/evaluate.inl.hpp"
#endif
