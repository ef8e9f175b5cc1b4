// SPDX-License-Identifier: Apache-2.0
// Tunes a whole network: kernels for each operator in several layouts, then the choice for all operators together.
#pragma once

#include "ttune/network/network.hpp"
#include "ttune/network/tuned_network.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 {

/// Tunes a network within one time budget. Element-wise operators join their producers, equal operators are tuned once,
/// in each of their promising layouts, and the fastest combination is chosen with the cost of copies between layouts.
/// The trials of the budget are those of each operator in one layout. `allowed` says which computes an operator may use
/// (expr/numerics.hpp). Throws what `tuner::tune` throws.
[[nodiscard]] tuned_network tune_network(network const& net, tuner& by, tuning_budget const& budget = {},
                                         numerics const& allowed = {});
/// Overload for a network as data, such as one that was read from a file.
[[nodiscard]] tuned_network tune_network(network_graph const& net, tuner& by, tuning_budget const& budget = {},
                                         numerics const& allowed = {});

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/tune_network.inl.hpp"
#endif
