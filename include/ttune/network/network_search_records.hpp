// SPDX-License-Identifier: Apache-2.0
// The budget of a network, and the effort that it asks of records (network_search.hpp).
#pragma once

#include "ttune/tune/session/budget_meter.hpp"
#include "ttune/tune/tuner_options.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the budget of a network with the trials of its level.
inline tuning_budget for_network(tuning_budget budget) {
  if (has_level(budget)) budget.trials = network_trials_of(budget.effort);
  budget.effort = effort_level::none;
  return budget;
}

/// Returns what a budget asks of the records of a network and of its kernels.
inline asked_effort asked_by_network(tuning_budget const& budget) {
  auto made = asked_by(budget);
  made.trials = for_network(budget).trials;
  return made;
}

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/network_search_records.inl.hpp"
#endif
