// SPDX-License-Identifier: Apache-2.0
// Replacements for a seed that a backend refuses: schedules that need few resources.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/space.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct simpler_schedule {
  std::string name;
  space in;  ///< has one configuration, without knobs
};

/// Returns the program's own loops; the outermost of each stage is divided among threads (among blocks on a GPU).
[[nodiscard]] inline space outer_loops_shared(handle<ir::program> const& of, target const& machine) {
  space made;
  made.program = of;
  for (auto const& s : of->stages) {
    if (s->axes.empty()) continue;
    step outer{machine.is_gpu() ? primitive::bind : primitive::parallel, s->name, {s->axes[0].name}, {}, {}};
    if (machine.is_gpu()) outer.values = {literal(static_cast<std::int64_t>(ir::loop_kind::block_x))};
    made.steps.push_back(std::move(outer));
  }
  return made;
}

/// Returns the replacements, faster ones first; the last one is the unscheduled program.
[[nodiscard]] inline std::vector<simpler_schedule> simpler_schedules(handle<ir::program> const& of,
                                                                     target const& machine) {
  space plain;
  plain.program = of;
  return {{"plain loops with parallel outer ones", outer_loops_shared(of, machine)}, {"plain loops", std::move(plain)}};
}

}}}  // namespace ttune::v0::detail
