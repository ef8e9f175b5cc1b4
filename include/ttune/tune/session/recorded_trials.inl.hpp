// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/support/error.hpp"
#include "ttune/tune/session/recorded_trials.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::vector<lowered_candidate> recorded_trials::lower(std::span<configuration const> chosen, deadline const&) {
  std::vector<lowered_candidate> made;
  for (auto const& c : chosen) made.push_back({c, {}});
  return made;
}

std::vector<compiled_candidate> recorded_trials::compile(std::vector<lowered_candidate> batch, deadline const&) {
  std::vector<compiled_candidate> made;
  for (auto& c : batch) made.push_back(without_code(std::move(c)));
  return made;
}

trial recorded_trials::recorded(configuration const& chosen) const {
  auto answer = device_->measure(chosen);
  auto const known = answer.source != recorded_source::unknown;
  return {chosen, std::move(answer.result), std::nullopt, known ? trial::kind::made : trial::kind::unknown};
}

trial recorded_trials::first(compiled_candidate seed) {
  if (auto t = recorded(seed.chosen); t.result.ok() && t.what == trial::kind::made) return t;
  for (auto const& c : device_->configurations())
    if (auto t = recorded(c); t.result.ok()) return t;
  throw backend_error("the recorded trials of " + workload_ + " have no success");
}

std::vector<trial> recorded_trials::run(std::vector<compiled_candidate> batch, trial_limits const&) {
  std::vector<trial> made;
  for (auto const& c : batch) made.push_back(recorded(c.chosen));
  return made;
}

}}}  // namespace ttune::v0::detail
