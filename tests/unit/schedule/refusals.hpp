// SPDX-License-Identifier: Apache-2.0
// Catches the error message of a schedule that cannot be applied.
#pragma once

#include <string>

#include "ttune/schedule/plan.hpp"
#include "ttune/support/error.hpp"

namespace ttune_test {

/// Returns the error message of the schedule that `make` makes; "none" if it is a plan.
template <class Make>
[[nodiscard]] std::string refusal(Make const& make) {
  try {
    (void)ttune::make_plan(make());
  } catch (ttune::schedule_error const& e) {
    return e.what();
  }
  return "none";
}

[[nodiscard]] inline bool says(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ttune_test
