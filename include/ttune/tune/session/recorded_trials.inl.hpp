// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/support/error.hpp"
#include "ttune/tune/session/candidate.hpp"
#include "ttune/tune/session/recorded_trials.hpp"

namespace ttune { inline namespace v0 { namespace detail {

trial recorded_trials::first(configuration const& seed, double) {
  if (auto t = measure(seed, {}); t.result.ok() && t.what == trial::kind::made) return t;
  for (auto const& c : device_->configurations())
    if (auto t = measure(c, {}); t.result.ok()) return t;
  throw backend_error("the recorded trials of " + work_.space().program->name + " have no success");
}

trial recorded_trials::measure(configuration const& chosen, trial_limits const&) {
  auto answer = device_->measure(chosen);
  auto const known = answer.source != recorded_source::unknown;
  return {chosen, std::move(answer.result), std::nullopt, known ? trial::kind::made : trial::kind::unknown};
}

comparison recorded_trials::compare(trial const& a, trial const& b, std::int32_t pairs) {
  return compare_known(a, b, pairs);
}

std::optional<kernel_image> recorded_trials::image_of(configuration const& chosen) {
  if (!backend_.availability()) return std::nullopt;
  return compile_candidate(work_, backend_, chosen);
}

}}}  // namespace ttune::v0::detail
