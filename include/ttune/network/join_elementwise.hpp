// SPDX-License-Identifier: Apache-2.0
// A pass over networks: element-wise operators join the operator whose result they read.
//
//   y = conv2d(x, w)                 →   z = conv2d_add_relu(x, w, r)
//   z = add_relu(y, r)
//
// An operator joins if it is the only reader of the result and the result is no output of the network. If it could join
// several, it joins the one with most arithmetic. The joined operator takes the later place.
#pragma once

#include "ttune/network/graph.hpp"

namespace ttune { inline namespace v0 {

[[nodiscard]] network_graph join_elementwise(network_graph const& net);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/join_elementwise.inl.hpp"
#endif
