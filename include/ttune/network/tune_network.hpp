// SPDX-License-Identifier: Apache-2.0
// Tunes a whole network: kernels for each operator in several layouts, then the choice for all operators together.
#pragma once

#include "ttune/network/network.hpp"
#include "ttune/network/network_limits.hpp"
#include "ttune/network/tuned_network.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 {

/// Tunes a network within one time budget. Element-wise operators join their producers, equal operators are tuned once,
/// in each of their promising layouts, and the fastest combination is chosen with the cost of copies between layouts.
/// Trials go to the kernels that are expected to save most time of the whole network (network_search.hpp); the trials
/// of the budget are those of a kind of equal operators on average. Each kind gets a first kernel in any case, however
/// short the time. With 0 trials, kernels are only compiled, or taken from the records. An effort level
/// (tune/effort.hpp) stands for 64 (measure), 512 (patient) or 4096 (exhaustive) trials; the time is the budget's.
///
/// If the tuner has records, the network's choice is kept there as well: the next call for the same network, target and
/// numerics takes it, and measures nothing, unless it asks for more effort: then it goes on. `allowed` says which
/// computes an operator may use (expr/numerics.hpp); the error of the outputs is measured as well, and holds the same
/// factor over that of computes that only reassociate. `limits` says what the whole network may need. Throws what
/// `tuner::tune` throws, and argument_error for such limits.
[[nodiscard]] tuned_network tune_network(network const& net, tuner& by, tuning_budget const& budget = {},
                                         numerics const& allowed = {}, network_limits const& limits = {});
/// Overload for a network as data, such as one that was read from a file.
[[nodiscard]] tuned_network tune_network(network_graph const& net, tuner& by, tuning_budget const& budget = {},
                                         numerics const& allowed = {}, network_limits const& limits = {});
/// Overloads that take the network: weights that only it owns are freed one after the other while kernels lay them out,
/// so that they are never in memory twice.
[[nodiscard]] tuned_network tune_network(network&& net, tuner& by, tuning_budget const& budget = {},
                                         numerics const& allowed = {}, network_limits const& limits = {});
[[nodiscard]] tuned_network tune_network(network_graph&& net, tuner& by, tuning_budget const& budget = {},
                                         numerics const& allowed = {}, network_limits const& limits = {});

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/tune_network.inl.hpp"
#endif
