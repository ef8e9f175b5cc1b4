// SPDX-License-Identifier: Apache-2.0
// Tries one more step of a schedule.
#pragma once

#include <optional>
#include <utility>

#include "ttune/autoschedule/builder.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule { namespace detail {

/// Returns the step and the plan with it; nothing if the primitive refuses.
[[nodiscard]] inline std::optional<std::pair<step, plan>> with_step(space const& so_far, step const& s) {
  auto with = so_far;
  with.steps.push_back(s);
  try {
    return std::pair(s, make_plan(with));
  } catch (schedule_error const&) {
    return std::nullopt;
  }
}

}}}}  // namespace ttune::v0::autoschedule::detail
