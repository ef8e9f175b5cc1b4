// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/tune/session/analytic_trials.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::vector<lowered_candidate> analytic_trials::lower(std::span<configuration const> chosen, deadline const& until) {
  std::vector<lowered_candidate> made;
  for (auto const& c : chosen) {
    if (!made.empty() && until.passed()) break;
    made.push_back(lower_candidate(work_, c));
  }
  return made;
}

std::vector<compiled_candidate> analytic_trials::compile(std::vector<lowered_candidate> batch, deadline const&) {
  std::vector<compiled_candidate> made;
  for (auto& c : batch) made.push_back(without_code(std::move(c)));
  return made;
}

trial analytic_trials::counted(compiled_candidate const& from) const {
  trial made{from.chosen, {}};
  if (from.refused) {
    made.result.status = trial_status::compile_failed;
    made.result.message = from.diagnostics;
  } else {
    made.result.seconds = backend_.seconds(from.program);
    made.result.samples = 1;
  }
  return made;
}

std::vector<trial> analytic_trials::run(std::vector<compiled_candidate> batch, trial_limits const&) {
  std::vector<trial> made;
  for (auto const& c : batch) made.push_back(counted(c));
  return made;
}

}}}  // namespace ttune::v0::detail
