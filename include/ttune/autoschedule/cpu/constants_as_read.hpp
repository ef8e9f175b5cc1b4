// SPDX-License-Identifier: Apache-2.0
// Lays out constants that a reduction reads at other places than its own axes, before all calls (primitive
// compute_once): the weights of a phase, filters that are mirrored. The copy has the axes of the reduction, so that it
// is packed as other constants are.
//
//   O(f, p, o) = sum(c, s) I(c, o + p - s) * W(c, f, 1 - p + 2 * s)
//     →  E(f, p, c, s) = W(c, f, 1 - p + 2 * s);  O(f, p, o) = sum(c, s) I(c, o + p - s) * E(f, p, c, s)
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/cpu/phase_axes.hpp"
#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

namespace detail {

/// Returns true if the vector lanes of a stage run along another one that it reads.
[[nodiscard]] inline bool reads_in_lanes(plan const& p, std::string const& stage, std::string const& other,
                                         target const& machine) {
  auto const& st = stage_named(p, stage);
  auto const lanes = choose_vector_axis(p, st, machine.lanes(st.definition->type())).axis;
  return lanes >= 0 && std::any_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
           return !a.write && a.producer >= 0 &&
                  p.stages[static_cast<std::size_t>(a.producer)].definition->name == other &&
                  stride(p, st, a, static_cast<std::size_t>(lanes)) != 0;
         });
}

}  // namespace detail

/// Returns the step for the next such constant, and the plan with it; nothing if there is none. The lanes of the
/// reduction run along the copy, which has at most twice as many elements as the constant.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_constant_as_read(space const& so_far, plan const& p,
                                                                                target const& machine) {
  constexpr std::int64_t most_copies = 2;
  for (auto const& st : p.stages) {
    if (!st.definition->reduces() || st.definition->updates) continue;
    for (auto const& a : st.accesses) {
      if (a.write || !is_constant_operand(p, a) || indexes_by_axes(st, a) || !has_reuse(p, st, a)) continue;
      double points = 1;
      std::vector<std::string> axes;
      bool affine = true;
      for (auto const& i : a.indices) affine = affine && !i.whole && !i.is_redirected() && i.divisor == 1;
      for (std::size_t x = 0; x < st.axis_count(); ++x) {
        bool const moves =
            std::any_of(a.indices.begin(), a.indices.end(), [&](auto const& i) { return i.coefficient[x] != 0; });
        if (moves) axes.push_back(st.axis_name(x)), points *= static_cast<double>(st.axis_size(x));
      }
      if (!affine || axes.empty() || points > most_copies * elements_of(p, st, a)) continue;
      auto const& name = st.definition->name;
      auto const copy = detail::unused_stage(*p.program, name, "constant");
      auto made = detail::with_step(so_far, {primitive::compute_once, name, axes, {copy}, {}});
      if (made && detail::reads_in_lanes(made->second, name, copy, machine)) return made;
    }
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
