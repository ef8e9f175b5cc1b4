// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/support/error.hpp"
#include "ttune/tune/session/analytic_trials.hpp"
#include "ttune/tune/session/candidate.hpp"

namespace ttune { inline namespace v0 { namespace detail {

trial analytic_trials::first(configuration const& seed, double) {
  if (auto const there = backend_.availability(); !there)
    throw backend_error(backend_.name() + " cannot be used: " + there.reason);
  auto t = measure(seed, {});
  if (!t.result.ok())
    throw refused_kernel(backend_.name() + ": the first kernel of " + workload_ +
                         " cannot be compiled: " + t.result.message);
  return t;
}

trial analytic_trials::measure(configuration const& chosen, trial_limits const&) {
  auto const made = make_candidate(work_, chosen);
  if (auto const known = known_.find(made.text); known != known_.end())
    return {chosen, known->second, std::nullopt, trial::kind::same};
  trial t{chosen, {}};
  if (made.diagnostics.empty()) {
    t.result.seconds = backend_.seconds(made.program);
    t.result.samples = 1;
  } else {
    t.result.status = trial_status::compile_failed;
    t.result.message = made.diagnostics;
  }
  known_.emplace(made.text, t.result);
  return t;
}

comparison analytic_trials::compare(trial const& a, trial const& b, std::int32_t pairs) {
  return compare_known(a, b, pairs);
}

std::optional<kernel_image> analytic_trials::image_of(configuration const& chosen) {
  return compile_candidate(work_, backend_, chosen);
}

}}}  // namespace ttune::v0::detail
