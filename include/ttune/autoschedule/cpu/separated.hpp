// SPDX-License-Identifier: Apache-2.0
// Finds windows that are reduced along one axis after the others (primitive/separate.hpp): box filters, patch
// distances, sums of squares, largest elements of windows. Windows whose terms have weights of their own are none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "ttune/autoschedule/cpu/computed_once.hpp"
#include "ttune/autoschedule/cpu/stencil_stages.hpp"
#include "ttune/autoschedule/cpu/with_step.hpp"
#include "ttune/schedule/primitive/window_places.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

namespace detail {

/// Returns how many times fewer operations a window takes if it is reduced along one of its axes last.
[[nodiscard]] inline double gain_of_separating(stage_plan const& st, std::size_t reduced) {
  auto const& definition = *st.definition;
  auto const form = primitives::place_along(definition, reduced);
  if (!form) return 0;
  auto const cost = cost_of_element(st);
  auto const term = cost.arithmetic + cost.loads + 1;
  auto const terms = static_cast<double>(primitives::terms_of(definition));
  auto const last = static_cast<double>(definition.reduction.axes[reduced].size());
  auto const [from, to] = primitives::places_of(definition, *form);
  auto const shared = static_cast<double>(to - from + 1) / static_cast<double>(definition.axes[form->free].size());
  constexpr double load_and_combine = 2;
  constexpr double store = 2;
  return terms * term / (terms / last * shared * term + store + last * load_and_combine);
}

}  // namespace detail

/// The windows that are separated: those of inputs only may have rows of results unrolled instead, which share loads.
enum class separable : std::uint8_t { of_anything, of_stages };

/// Returns the step for the next window to separate, and its plan; nothing if there is none.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_separated(space const& so_far, plan const& p,
                                                                         separable which = separable::of_anything) {
  double const least_gain = which == separable::of_stages ? 1.75 : 2;
  for (auto const& st : p.stages) {
    auto const& reduced = st.definition->reduction.axes;
    bool const reads_stage = std::any_of(st.accesses.begin(), st.accesses.end(),
                                         [](access_plan const& a) { return !a.write && a.producer >= 0; });
    if (which == separable::of_stages && !reads_stage) continue;
    if (st.definition->updates || st.definition->components.size() != 1 || reduced.size() < 2) continue;
    double most = least_gain;
    std::string axis;
    for (std::size_t k = 0; k < reduced.size(); ++k)
      if (auto const gain = detail::gain_of_separating(st, k); gain >= most) most = gain, axis = reduced[k].name;
    if (axis.empty()) continue;
    auto const& name = st.definition->name;
    auto const part = detail::unused_stage(*p.program, name, "part");
    if (auto made = detail::with_step(so_far, {primitive::separate, name, {axis}, {part}, {}})) return made;
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
