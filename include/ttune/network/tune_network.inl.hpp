// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/network/join_elementwise.hpp"
#include "ttune/network/network_search.hpp"
#include "ttune/network/settle_roles.hpp"
#include "ttune/network/tune_network.hpp"

namespace ttune { inline namespace v0 {

tuned_network tune_network(network const& net, tuner& by, tuning_budget const& budget, numerics const& allowed) {
  return tune_network(net.graph(), by, budget, allowed);
}

tuned_network tune_network(network_graph const& net, tuner& by, tuning_budget const& budget, numerics const& allowed) {
  auto const settled = settle_roles(join_elementwise(net));
  detail::network_search search(settled, by, budget, allowed);
  auto steps = search.run();
  return tuned_network(settled, std::move(steps), by.kernel_executor(), {search.trials(), search.seconds()});
}

}}  // namespace ttune::v0
