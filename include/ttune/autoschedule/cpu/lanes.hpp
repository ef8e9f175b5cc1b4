// SPDX-License-Identifier: Apache-2.0
// The axis along which the vector lanes of a stage run: a free one (contractions, columns) or a reduced one (rows).
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/tuple.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

[[nodiscard]] inline std::int64_t lanes_of(target const& machine, stage_plan const& st) {
  return machine.lanes(st.definition->type());
}

/// Returns the free axis of a stage along which its vector lanes run.
[[nodiscard]] inline std::size_t lanes_axis(target const& machine, plan const& p, stage_plan const& st) {
  return static_cast<std::size_t>(choose_vector_axis(p, st, machine.lanes(st.definition->type())).axis);
}

/// Returns true if the vector lanes of a stage run along a free axis, not along a reduced one.
[[nodiscard]] inline bool suits_lanes(target const& machine, plan const& p, stage_plan const& st) {
  if (!ir::accumulates_in_place(st.definition->reduction)) return false;
  auto const lanes = machine.lanes(st.definition->type());
  auto const choice = choose_vector_axis(p, st, lanes);
  if (choice.axis < 0) return false;
  auto const reduced = contiguous_reduced_axis(p, st);
  bool const long_rows = reduced >= 0 && fills_lanes(st, static_cast<std::size_t>(reduced), lanes);
  return choice.score >= 0 || (!long_rows && 4 * st.axis_size(static_cast<std::size_t>(choice.axis)) > lanes);
}

}}}  // namespace ttune::v0::autoschedule
