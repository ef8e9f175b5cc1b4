// SPDX-License-Identifier: Apache-2.0
// The statements of schedules whose extents calls give, as text.
#pragma once

#include <string>

#include "ttune/capture/keep_open.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/schedule.hpp"

namespace ttune_test {

/// Returns the statements of a schedule without knobs, with all declared extents open.
template <class Op, class Schedule>
[[nodiscard]] std::string lowered_open(Op const& op, Schedule const& schedule) {
  ttune::space made = schedule;
  made.program = ttune::capture::keep_open(op.program());
  return ttune::ir::print(ttune::lower(made, ttune::configuration{}).body);
}

}  // namespace ttune_test
