// SPDX-License-Identifier: Apache-2.0
// Which calls of a program with open extents are too small for several threads.
//
//   product(A f32 (1024, 1024), B f32 (1024, 1024), ..., extents i64 (3), C f32 (1024, 1024))
//   →  on the caller's thread if M * K * N <= 16384
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/schedule/work_of_term.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Returns the calls in which the stage with the most work has little of it: less than waking threads takes. For
/// constant extents the schedule knows how many tasks there are.
[[nodiscard]] inline ir::small_calls small_calls_of(plan const& p) {
  ir::small_calls made;
  double most = 0;
  for (auto const& stage : p.stages) {
    auto const few_terms =
        static_cast<std::int64_t>(static_cast<double>(most_sequential_elements) / work_of_term(stage));
    ir::small_calls of_stage;
    double work = work_of_term(stage);
    std::int64_t constant = 1;
    for (std::size_t axis = 0; axis < stage.axis_count(); ++axis) {
      auto const& end = stage.axis_end(axis);
      if (end.is_constant()) constant *= std::clamp<std::int64_t>(stage.axis_size(axis), 1, few_terms + 1);
      else if (end.run == 1) of_stage.extents.push_back(end.symbol->name);
      else of_stage.extents.push_back(end.symbol->name), constant = std::max<std::int64_t>(1, constant / end.run);
      constant = std::min(constant, few_terms + 1);
      work *= static_cast<double>(stage.axis_size(axis));
    }
    of_stage.most = few_terms / constant;
    if (work > most) most = work, made = std::move(of_stage);
  }
  return made;
}

}}}  // namespace ttune::v0::lowering
