// SPDX-License-Identifier: Apache-2.0
// A pass over networks: operands that get weights become constants, which kernels lay out once; operands that get
// results or inputs become plain inputs, which change from call to call. What an operator declared does not matter.
#pragma once

#include "ttune/network/graph.hpp"

namespace ttune { inline namespace v0 {

[[nodiscard]] network_graph settle_roles(network_graph const& net);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/settle_roles.inl.hpp"
#endif
