// SPDX-License-Identifier: Apache-2.0
// Finds stages for one loop nest (compute_with): stages of one iteration space that compute the same function for each
// point, or read the same elements, none of which a register tile would use again. Examples are sums of values and of
// their squares, the least and the largest element, several outputs of the same points.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "ttune/autoschedule/cpu/scatters.hpp"
#include "ttune/autoschedule/cpu/with_step.hpp"
#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/schedule/primitive/functions.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns true if every axis with several elements moves an access: its stage reads each element once.
[[nodiscard]] inline bool is_read_once(plan const& p, stage_plan const& st, access_plan const& a) {
  for (std::size_t x = 0; x < st.axis_count(); ++x)
    if (st.axis_size(x) > 1 && stride(p, st, a, x) == 0) return false;
  return true;
}

/// Maximum of reductions computed together, because their sums need registers.
inline constexpr std::size_t most_joined_components = 6;

namespace detail {

[[nodiscard]] inline bool have_same_axes(stage_plan const& a, stage_plan const& b) {
  bool same = a.axis_count() == b.axis_count() && a.definition->axes.size() == b.definition->axes.size();
  for (std::size_t x = 0; same && x < a.axis_count(); ++x) same = a.axis_size(x) == b.axis_size(x);
  return same;
}

[[nodiscard]] inline bool may_join(stage_plan const& st) {
  auto const& d = *st.definition;
  if (d.updates || !choosing_axes(d).empty()) return false;
  return !d.reduces() || ir::accumulates_in_place(d.reduction);
}

[[nodiscard]] inline bool is_joined_output_order(plan const& p, stage_plan const& a, stage_plan const& b) {
  auto const& outputs = p.program->outputs;
  auto const i = std::find(outputs.begin(), outputs.end(), a.definition);
  auto const j = std::find(outputs.begin(), outputs.end(), b.definition);
  if (i == outputs.end() || j == outputs.end()) return i == j;
  return i + 1 == j || j + 1 == i;
}

/// Returns true if both stages compute the same function at each of their points, such as the distances of all pairs.
[[nodiscard]] inline bool share_functions(stage_plan const& first, stage_plan const& second) {
  auto const& a = *first.definition;
  auto const& b = *second.definition;
  auto const of_all_axes = [&](ir::expr const& e) {
    auto const axes = primitives::axes_of(e, a);
    std::size_t moving = 0;
    for (std::size_t x = 0; x < first.axis_count(); ++x) moving += first.axis_size(x) > 1 ? 1 : 0;
    return static_cast<std::size_t>(
               std::count_if(axes.begin(), axes.end(), [](auto const& n) { return n.size() > 1; })) == moving;
  };
  return ir::contains(a.components[0].value, [&](ir::expr const& e) {
    return primitives::is_function(e) && of_all_axes(e) &&
           ir::contains(b.components[0].value, [&](ir::expr const& other) { return ir::equal(e, other); });
  });
}

/// Returns true if both stages compute the same function, read an element once each, or send terms to places; or,
/// without a reduction, if the later one reads an element of the earlier one.
[[nodiscard]] inline bool share_reads(plan const& p, std::size_t first, std::size_t second) {
  auto const& a = p.stages[first];
  auto const& b = p.stages[second];
  if (share_functions(a, b) || (is_scattered(a) && is_scattered(b))) return true;
  for (auto const& x : a.accesses)
    for (auto const& y : b.accesses)
      if (!x.write && !y.write && is_same_element(x, y) && is_read_once(p, a, x)) return true;
  return !a.definition->reduces() && std::any_of(b.accesses.begin(), b.accesses.end(), [&](access_plan const& y) {
    return !y.write && y.producer == static_cast<std::int32_t>(first) && is_read_once(p, b, y);
  });
}

/// Returns the plan with the second stage joined to the first; nothing if the primitive refuses, or if terms of one of
/// them went to their places alone, and do not any more.
[[nodiscard]] inline std::optional<std::pair<step, plan>> joined(space const& so_far, stage_plan const& first,
                                                                 stage_plan const& second) {
  auto const& name = first.definition->name;
  auto made = with_step(so_far, {primitive::compute_with, name, {second.definition->name}, {}, {}});
  if (!made || !(is_scattered(first) || is_scattered(second))) return made;
  bool const still = std::any_of(made->second.stages.begin(), made->second.stages.end(),
                                 [&](stage_plan const& st) { return st.definition->name == name && is_scattered(st); });
  return still ? made : std::nullopt;
}

}  // namespace detail

/// Returns the step for the next pair of stages to join, and its plan; nothing if there is none.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_joined(space const& so_far, plan const& p) {
  for (std::size_t i = 0; i < p.stages.size(); ++i)
    for (auto j = i + 1; j < p.stages.size(); ++j) {
      auto const &a = p.stages[i], &b = p.stages[j];
      if (a.definition->components.size() + b.definition->components.size() > most_joined_components ||
          a.definition->reduces() != b.definition->reduces() || (!a.definition->reduces() && !a.output) ||
          !detail::have_same_axes(a, b) || !detail::may_join(a) || !detail::may_join(b) ||
          !detail::is_joined_output_order(p, a, b) || !detail::share_reads(p, i, j))
        continue;
      if (auto made = detail::joined(so_far, a, b)) return made;
    }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
