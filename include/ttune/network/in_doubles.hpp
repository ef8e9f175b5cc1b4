// SPDX-License-Identifier: Apache-2.0
// A pass: a network of f32 computed in f64, against which rounding errors are measured.
#pragma once

#include "ttune/network/graph.hpp"

namespace ttune { inline namespace v0 {

/// Returns the network with f64 in the place of f32: inputs, weights, results, and the arithmetic of its operators,
/// each with its first compute only. Other element types stay. The converted weights are copies.
[[nodiscard]] network_graph in_doubles(network_graph const& net);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/in_doubles.inl.hpp"
#endif
