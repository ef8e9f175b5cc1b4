// SPDX-License-Identifier: Apache-2.0
// Finds the stages that sum the terms of another one in lanes, in a fixed order (capture/ordered_rows.hpp).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ttune/autoschedule/analysis.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns true for a stage with sums of lanes.
[[nodiscard]] inline bool has_lanes_in_order(stage_plan const& st) {
  auto const& reduction = st.definition->reduction;
  return reduction.kind != ir::reduction_kind::none && !reduction.associative &&
         st.definition->name.find(".lanes") != std::string::npos;
}

/// Returns true for a stage that sums the terms of a row in lanes, or halves of these.
[[nodiscard]] inline bool is_sum_of_lanes(plan const& p, stage_plan const& st) {
  return has_lanes_in_order(st) || std::any_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
           return !a.write && a.producer >= 0 && st.definition->reduces() &&
                  has_lanes_in_order(p.stages[static_cast<std::size_t>(a.producer)]);
         });
}

/// Returns the stages before a sum of two halves: halves of more and more lanes, the lanes themselves last. Empty for
/// any other stage, and if anything else reads these.
[[nodiscard]] inline std::vector<stage_plan const*> lanes_before(plan const& p, stage_plan const& st) {
  std::vector<stage_plan const*> made;
  auto const* last = &st;
  while (last->definition->reduces() && !last->definition->reduction.associative && last->accesses.size() == 2) {
    auto const producer = last->accesses.front().producer;  // the other access is the store
    if (producer < 0 || readers_of(p, producer).size() != 1) return {};
    auto const& before = p.stages[static_cast<std::size_t>(producer)];
    if (!has_lanes_in_order(before) || !before.definition->name.starts_with(st.definition->name)) return {};
    made.push_back(&before);
    last = &before;
    if (before.definition->name.ends_with(".lanes")) return made;
  }
  return {};
}

}}}  // namespace ttune::v0::autoschedule
