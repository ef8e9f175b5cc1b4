// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "ttune/lowering/lower.hpp"
#include "ttune/search/search.hpp"
#include "ttune/tune/session/earlier_tuning.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::vector<configuration> earlier_tuning::fastest(std::size_t most) const {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].result.ok() && trials[i].chosen != chosen) order.emplace_back(trials[i].result.seconds, i);
  std::ranges::sort(order);
  std::vector<configuration> made;
  for (auto const& [seconds, i] : order)
    if (made.size() < most) made.push_back(trials[i].chosen);
  return made;
}

bool earlier_tuning::tried(configuration const& one) const {
  return std::ranges::any_of(trials, [&](trial const& t) { return t.chosen == one; });
}

std::optional<earlier_tuning> find_earlier(record_store const& in, record const& kernel, workload const& of) {
  auto const valid = [&](record const& r) {
    auto found = find_configuration(of.space().knobs, r.choices);
    if (found && !of.sampler().valid(*found)) found.reset();
    return found;
  };
  auto const chosen = valid(kernel);
  if (!chosen) return std::nullopt;
  earlier_tuning made{*chosen};
  if (kernel.effort) made.effort = {0, 0, kernel.effort.ended, kernel.effort.asked};
  configuration_set known;
  auto least = std::numeric_limits<double>::infinity();
  std::int64_t fastest = 0;
  for (auto const& r : in.all(kernel.key)) {
    if (r.lowering_version != lowering_version) continue;
    if (r.effort) made.effort.trials = std::max(made.effort.trials, r.effort.trials);
    if (r.effort) made.effort.seconds = std::max(made.effort.seconds, r.effort.seconds);
    auto one = valid(r);
    if (!one || known.contains(*one)) continue;  // the winner is recorded twice
    known.insert(*one);
    made.trials.push_back({std::move(*one), r.result});
    if (!r.result.ok() || r.result.seconds >= least) continue;
    least = r.result.seconds;
    fastest = static_cast<std::int64_t>(made.trials.size());
  }
  made.effort.trials = std::max(made.effort.trials, static_cast<std::int64_t>(made.trials.size()));
  made.since_gain = static_cast<std::int64_t>(made.trials.size()) - fastest;
  return made;
}

}}}  // namespace ttune::v0::detail
