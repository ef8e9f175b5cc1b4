// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/network/join_elementwise.hpp"
#include "ttune/network/network_search.hpp"
#include "ttune/network/settle_roles.hpp"
#include "ttune/network/share_programs.hpp"
#include "ttune/network/tune_network.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the network after its passes.
inline network_graph settled(network_graph const& net) { return settle_roles(join_elementwise(share_programs(net))); }

/// Tunes a network after its passes.
inline tuned_network tune_settled(network_graph net, tuner& by, tuning_budget const& budget, numerics const& allowed,
                                  network_limits const& limits) {
  auto in_network = by.with_objective(objective_in(net, by));
  network_search search(net, in_network, budget, allowed, limits);
  auto steps = search.run();
  return {std::move(net), std::move(steps), by.kernel_executor(), search.cost()};
}

}  // namespace detail

tuned_network tune_network(network const& net, tuner& by, tuning_budget const& budget, numerics const& allowed,
                           network_limits const& limits) {
  return tune_network(net.graph(), by, budget, allowed, limits);
}

tuned_network tune_network(network&& net, tuner& by, tuning_budget const& budget, numerics const& allowed,
                           network_limits const& limits) {
  return tune_network(std::move(net).graph(), by, budget, allowed, limits);
}

tuned_network tune_network(network_graph const& net, tuner& by, tuning_budget const& budget, numerics const& allowed,
                           network_limits const& limits) {
  return detail::tune_settled(detail::settled(net), by, budget, allowed, limits);
}

tuned_network tune_network(network_graph&& net, tuner& by, tuning_budget const& budget, numerics const& allowed,
                           network_limits const& limits) {
  auto settled = detail::settled(net);
  net = network_graph(net.name());
  return detail::tune_settled(std::move(settled), by, budget, allowed, limits);
}

}}  // namespace ttune::v0
