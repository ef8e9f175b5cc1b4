// SPDX-License-Identifier: Apache-2.0
// Spaces of programs whose extents calls give (capture/keep_open.hpp): those of the largest extents, where they need no
// constants.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns the space that `derive(program, machine)` makes, with more tasks than the largest extents need: smaller ones
/// keep all cores busy, too. If one of its steps needs a constant, returns plain loops, and why. Throws schedule_error
/// for a device.
template <class Derive>
[[nodiscard]] space open_space(handle<ir::program> const& program, target machine, Derive const& derive) {
  constexpr int tasks_of_core = 4;
  if (machine.is_gpu())
    throw schedule_error("keep_open", program->name, "kernels for devices have constant extents: bind them with op.at");
  machine.cores *= tasks_of_core;
  try {
    auto made = derive(program, machine);
    (void)make_plan(made);
    return made;
  } catch (schedule_error const& refused) {
    space plain;
    plain.program = program;
    plain.replaces = refused.what();
    return plain;
  }
}

}}}  // namespace ttune::v0::autoschedule
