// SPDX-License-Identifier: Apache-2.0
// Makes the phases of a reduction's free axes axes of their own, so that its operands are read at affine places.
//
// An axis becomes two in place if no element needs to move (primitive/split_axis.hpp): the rows of an image, or
// transforms of blocks, which are products of small matrices then.
//
//   O(x) = sum(k) I(x / 8 * 8 + k) * D(x % 8, k)     →     O(o, p) = sum(k) I(o * 8 + k) * D(p, k)
//
// So does an axis of a stage that puts groups of sums behind each other, as the filters of a grouped convolution.
//
//   O(f, x) = G(f / 8, f % 8, x) + b(f)     →     O(o, p, x) = G(o, p, x) + b(o * 8 + p)
//
// Along the axis in which results are contiguous, phases that read neighbours of each other are computed apart
// (primitive/split_phases.hpp), and a reader puts the elements back into their order. So a transposed convolution
// becomes a convolution for each phase, with its own slice of the weights.
//
//   O(f, x) = sum(c, s) I(c, (x + 1) / 2 - s) * W(c, f, (x + 1) % 2 + 2 * s)
//     →  P(f, p, o) = sum(c, s) I(c, o + p - s) * W(c, f, 1 - p + 2 * s);  O(f, x) = P(f, x % 2, x / 2)
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/cpu/computed_once.hpp"
#include "ttune/autoschedule/cpu/long_rows.hpp"
#include "ttune/autoschedule/cpu/with_step.hpp"
#include "ttune/autoschedule/phases.hpp"
#include "ttune/schedule/primitive/expand_reduction.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Maximum of places in a period that becomes an axis.
inline constexpr std::int64_t most_places = 64;

namespace detail {

/// Returns the number of indices of a stage of which nothing is known but that they are inside.
[[nodiscard]] inline std::int64_t unknown_indices(stage_plan const& st) {
  std::int64_t count = 0;
  for (auto const& a : st.accesses)
    for (auto const& i : a.indices) count += i.whole || (i.divisor != 1 && !i.is_redirected());
  return count;
}
[[nodiscard]] inline std::int64_t unknown_indices(plan const& p) {
  std::int64_t count = 0;
  for (auto const& st : p.stages) count += unknown_indices(st);
  return count;
}

/// Returns the stage of a name.
[[nodiscard]] inline stage_plan const& stage_named(plan const& p, std::string const& name) {
  return *std::find_if(p.stages.begin(), p.stages.end(), [&](auto const& st) { return st.definition->name == name; });
}

/// Returns the period of an axis in the indices of a stage: 1 if it has none, or a longer one than `most`.
[[nodiscard]] inline std::int64_t period_of(stage_plan const& st, std::string const& axis, std::int64_t most) {
  std::int64_t period = 1;
  for (auto const& c : st.definition->components) {
    auto const one = phases_in(c.value, axis, most);
    period = one == 0 ? most + 1 : std::lcm(period, one);
    if (period > most) return 1;
  }
  return period;
}

/// Returns true if a stage reads a constant, which is laid out before all calls: lanes may run along any axis of it.
[[nodiscard]] inline bool reads_constants(plan const& p, stage_plan const& st) {
  return std::any_of(st.accesses.begin(), st.accesses.end(),
                     [&](access_plan const& a) { return !a.write && is_constant_operand(p, a); });
}

/// Returns true if a stage reads a reduction.
[[nodiscard]] inline bool reads_sums(plan const& p, stage_plan const& st) {
  return std::any_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
    return a.producer >= 0 && p.stages[static_cast<std::size_t>(a.producer)].definition->reduces();
  });
}

/// Returns the step that splits an axis in place, and the plan with it, if more indices are known then, and the axis is
/// not that of neighbours in memory, or its phases read no neighbours of each other.
[[nodiscard]] inline std::optional<std::pair<step, plan>> with_places_of(space const& so_far, plan const& p,
                                                                         stage_plan const& st, std::size_t axis) {
  auto const& name = st.definition->name;
  auto const& of = st.axis_name(axis);
  auto const period = period_of(st, of, st.definition->reduces() ? most_places : st.axis_size(axis));
  if (period <= 1 || st.axis_size(axis) % period != 0 || st.axis_size(axis) < 2 * period) return std::nullopt;
  auto made = with_step(so_far, {primitive::split_axis,
                                 name,
                                 {of},
                                 {unused_axis(*p.program, of + "o"), unused_axis(*p.program, of + "p")},
                                 {literal(period)}});
  if (!made || unknown_indices(made->second) >= unknown_indices(p)) return std::nullopt;
  auto const& after = stage_named(made->second, name);
  if (stride(p, st, st.accesses.back(), axis) == 1)
    for (auto const& a : after.accesses) {
      auto const apart = stride(made->second, after, a, axis);
      if (!a.write && apart != 0 && apart <= near_stride && apart != period) return std::nullopt;
    }
  return made;
}

/// Returns the step that makes the phases of an axis an axis, with the shift by which most indices become known, and
/// the plan with it; nothing if no index does.
[[nodiscard]] inline std::optional<std::pair<step, plan>> with_phases_of(space const& so_far, plan const& p,
                                                                         stage_plan const& st,
                                                                         std::string const& axis) {
  auto const period = period_of(st, axis, most_phases);
  if (period <= 1) return std::nullopt;
  auto const& name = st.definition->name;
  auto const stage = unused_stage(*p.program, name, "phases");
  std::optional<std::pair<step, plan>> best;
  auto least = unknown_indices(st);
  for (std::int64_t shift = 0; shift < period; ++shift) {
    auto made = with_step(so_far, {primitive::split_phases,
                                   name,
                                   {axis},
                                   {stage, unused_axis(*p.program, axis + "p"), unused_axis(*p.program, axis + "o")},
                                   {literal(period), literal(shift)}});
    if (!made) continue;
    auto const unknown = unknown_indices(stage_named(made->second, stage));
    if (unknown < least) least = unknown, best = std::move(made);
  }
  return best;
}

}  // namespace detail

/// Returns the step that splits the next such axis in place, and the plan with it; nothing if there is none. An axis
/// into which a stage without a reduction puts groups of sums is split as well, unless elements are neighbours along
/// it.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_axis_in_places(space const& so_far, plan const& p) {
  constexpr std::int64_t least_terms = 4;
  for (auto const& st : p.stages) {
    auto const& made = *st.definition;
    if (made.updates || (made.reduces() && primitives::terms_of(made) < least_terms)) continue;
    if (!made.reduces() && !detail::reads_sums(p, st)) continue;
    for (std::size_t x = 0; x < made.axes.size(); ++x) {
      if (!made.reduces() && stride(p, st, st.accesses.back(), x) == 1) continue;
      if (auto found = detail::with_places_of(so_far, p, st, x)) return found;
    }
  }
  return std::nullopt;
}

/// Returns the steps that make the phases of the next such axis an axis, and the plan with them; nothing if there is
/// none. Sums of few terms gain less than the elements' way through memory takes. Short axes fill no lanes; lanes along
/// others need operands that are laid out.
[[nodiscard]] inline std::optional<std::pair<std::vector<step>, plan>> next_phase_axis(space const& so_far,
                                                                                       plan const& p) {
  constexpr std::int64_t least_terms = 16;
  for (auto const& st : p.stages) {
    auto const& made = *st.definition;
    if (!made.reduces() || made.updates || primitives::terms_of(made) < least_terms) continue;
    for (std::size_t x = 0; x < made.axes.size(); ++x) {
      if (st.axis_size(x) < 2 * most_phases && !detail::reads_constants(p, st)) continue;
      auto found = detail::with_phases_of(so_far, p, st, made.axes[x].name);
      if (!found) continue;
      std::vector<step> steps = {found->first};
      bool const is_inner = std::any_of(so_far.steps.begin(), so_far.steps.end(), [&](step const& s) {
        return s.what == primitive::split_phases && s.results[0] == made.name;
      });
      if (!is_inner) return std::pair(steps, std::move(found->second));
      auto with = so_far;  // the stage between two such steps only moves elements
      steps.push_back({primitive::inline_stage, made.name, {}, {}, {}});
      with.steps.insert(with.steps.end(), steps.begin(), steps.end());
      return std::pair(steps, make_plan(with));
    }
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
