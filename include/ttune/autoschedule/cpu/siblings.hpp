// SPDX-License-Identifier: Apache-2.0
// Finds sibling windows of a pipeline: stages with the same points and the same readers that read the same elements,
// such as the sums of the pixels of a window, of their squares and of their products in structural similarity. In one
// loop nest (compute_with) they load each element once, and its square is not computed from memory again.
#pragma once

#include <optional>
#include <utility>

#include "ttune/autoschedule/cpu/joined.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

namespace detail {

/// Returns true if the stages read an element of the same tensor at the same place.
[[nodiscard]] inline bool read_same_element(stage_plan const& first, stage_plan const& second) {
  for (auto const& a : first.accesses)
    for (auto const& b : second.accesses)
      if (!a.write && !b.write && is_same_element(a, b)) return true;
  return false;
}

}  // namespace detail

/// Returns the step for the next pair of sibling windows, and its plan; nothing if there is none. Reductions are no
/// siblings: the windows are expressions by now.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_siblings(space const& so_far, plan const& p) {
  for (std::size_t i = 0; i < p.stages.size(); ++i)
    for (auto j = i + 1; j < p.stages.size(); ++j) {
      auto const &a = p.stages[i], &b = p.stages[j];
      if (a.output || b.output || a.definition->reduces() || b.definition->reduces() ||
          a.definition->type() != b.definition->type() ||
          a.definition->components.size() + b.definition->components.size() > most_joined_components ||
          !detail::have_same_axes(a, b) || !detail::may_join(a) || !detail::may_join(b) ||
          !detail::read_same_element(a, b) ||
          readers_of(p, static_cast<std::int32_t>(i)) != readers_of(p, static_cast<std::int32_t>(j)))
        continue;
      if (auto made = detail::joined(so_far, a, b)) return made;
    }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
