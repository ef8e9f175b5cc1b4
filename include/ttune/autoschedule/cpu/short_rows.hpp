// SPDX-License-Identifier: Apache-2.0
// Merges a short innermost axis, the components of points or pixels, with the axis before it. The components become
// phases (phases.hpp) of a long row, or vanish if all operands have the same form.
//
//   O(y, x, c) = A(y, x, c) * alpha(y, x)      →      O(yxc) = A(yxc) * alpha(yxc / 3)             fuse_axes(y, x, c,
//   yxc)
//
// Reductions over the components of a point are expanded before that: |v(i)|^2, products with a matrix of 3 x 3.
#pragma once

#include <optional>
#include <utility>

#include "ttune/autoschedule/cpu/long_rows.hpp"
#include "ttune/autoschedule/cpu/with_step.hpp"
#include "ttune/autoschedule/phases.hpp"
#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/schedule/primitive/expand_reduction.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Maximum of components of a point: lanes that are so many elements apart are loaded as whole vectors.
inline constexpr std::int64_t most_components = near_stride;

/// Returns true if an axis has as many elements as a point has components.
[[nodiscard]] inline bool is_short(stage_plan const& st, std::size_t axis) {
  return st.axis_size(axis) >= 2 && st.axis_size(axis) <= most_components;
}

/// Returns true if a read takes components of points: a short axis is contiguous, and a free axis moves by whole
/// points, or by data that choose them.
[[nodiscard]] inline bool reads_components(plan const& p, stage_plan const& st, access_plan const& a,
                                           std::size_t component) {
  if (a.write || !is_short(st, component) || stride(p, st, a, component) != 1) return false;
  if (shape_of(p, st, a).back() != st.axis_size(component)) return false;
  auto const chooses = [](index_plan const& i, std::size_t x) { return i.whole && !i.moves.empty() && i.moves[x]; };
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
    if (x == component) continue;
    if (stride(p, st, a, x) == st.axis_size(component)) return true;
    if (a.indices.size() == 2 && size_in_bytes(st.definition->type()) >= 4 && chooses(a.indices[0], x)) return true;
  }
  return false;
}

/// Returns true if an element decides the place of a read other than the beginning of a row: lanes of such reads are
/// loaded one by one. Rows are read whole for each lane (codegen/llvm/row_gathers.hpp): their elements have 32 or 64
/// bits, and their last index is no element.
[[nodiscard]] inline bool gathers(ir::stage const& st) {
  auto const is_read = [](ir::expr const& e) { return ir::as<ir::access>(e) != nullptr; };
  bool found = false;
  for (auto const& c : st.components)
    ir::for_each_node(c.value, [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      if (!a || a->indices.empty()) return;
      bool const by_data = std::any_of(a->indices.begin(), a->indices.end(),
                                       [&](ir::expr const& i) { return ir::contains(i, is_read); });
      bool const by_rows = size_in_bytes(e->type) >= 4 && !ir::contains(a->indices.back(), is_read);
      found = found || (by_data && !by_rows);
    });
  return found;
}

/// Returns true if a stage stores short rows of components, one after the other, for many points.
[[nodiscard]] inline bool stores_points(plan const& p, stage_plan const& st, std::int64_t lanes) {
  auto const rank = st.definition->axes.size();
  return rank >= 2 && is_short(st, rank - 1) && st.axis_size(rank - 1) < lanes && st.axis_size(rank - 2) >= lanes &&
         stride(p, st, st.accesses.back(), rank - 1) == 1;
}

/// Returns true for a reduction over the components of points, for many points. Results of one point are few: longer
/// rows of them are a contraction. The components lie side by side, or in planes of which points are made.
[[nodiscard]] inline bool reduces_components(plan const& p, stage_plan const& st, target const& machine) {
  auto const& d = *st.definition;
  auto const free = d.axes.size();
  if (d.updates || d.components.size() != 1 || d.reduction.axes.size() != 1) return false;
  if (d.reduction.kind == ir::reduction_kind::tuple || !is_short(st, free)) return false;
  auto const is_of_points = [&](access_plan const& a) {
    if (is_constant_operand(p, a) || !reads_components(p, st, a, free)) return false;
    std::int64_t points = 1;
    for (std::size_t x = 0; x < free; ++x) {
      bool const moves = stride(p, st, a, x) != 0;
      if (!moves && st.axis_size(x) > most_components) return false;
      if (moves) points *= st.axis_size(x);
    }
    return points >= machine.lanes(d.type());
  };
  return stores_points(p, st, machine.lanes(d.type())) ||
         std::any_of(st.accesses.begin(), st.accesses.end(), is_of_points);
}

/// Returns true for sums over the components of points that only reductions take, each of them once, and that do not
/// fit the second-level caches: computing them again takes less time than passing them through memory. (Squared
/// distances of 4096 x 4096 points in space, the least of each row and of each column: five times as fast.)
[[nodiscard]] inline bool is_computed_again(plan const& p, std::size_t stage, target const& machine) {
  constexpr double most_readers = 2;
  auto const& st = p.stages[stage];
  auto const& d = *st.definition;
  if (st.output || d.updates || d.components.size() != 1 || d.reduction.axes.size() != 1 ||
      d.reduction.kind == ir::reduction_kind::tuple || !is_short(st, d.axes.size()))
    return false;
  double results = 1;
  for (std::size_t x = 0; x < d.axes.size(); ++x) results *= static_cast<double>(st.axis_size(x));
  auto const bytes = results * static_cast<double>(size_in_bytes(d.type()));
  if (bytes <= static_cast<double>(machine.l2_bytes) * machine.cores) return false;
  double uses = 0;
  for (auto const r : readers_of(p, static_cast<std::int32_t>(stage))) {
    auto const& reader = p.stages[static_cast<std::size_t>(r)];
    if (!reader.definition->reduces()) return false;
    uses += static_cast<double>(iterations_of(reader)) / results;
  }
  return uses > 0 && uses <= most_readers;
}

namespace detail {

/// Returns how many of a stage's last axes are the components of one point, at most two (matrices of 3 x 3): 0 if it
/// stores no points.
[[nodiscard]] inline std::size_t component_axes(plan const& p, stage_plan const& st, std::int64_t lanes) {
  if (stores_points(p, st, lanes)) return 1;
  auto const rank = st.definition->axes.size();
  if (rank < 2 || lanes < 8 || stride(p, st, st.accesses.back(), rank - 1) != 1) return 0;
  auto components = st.axis_size(rank - 1);
  auto const most = std::min(most_phases_of_points, 2 * lanes);
  for (std::size_t count = 1; count < 3 && count < rank && components >= 2 && components <= most; ++count) {
    if (st.axis_size(rank - 1 - count) >= lanes) return count;
    components *= st.axis_size(rank - 1 - count);
  }
  return 0;
}

/// Returns true if a stage chooses by its last axis, or reads elements in another order along it than one after the
/// other: lanes along this axis would be loaded one by one.
[[nodiscard]] inline bool reads_across_row(plan const& p, stage_plan const& st, std::int64_t lanes) {
  auto const last = st.definition->axes.size() - 1;
  auto const turns = [&](index_plan const& i) {
    return i.coefficient[last] != 0 && (i.coefficient[last] != 1 || i.divisor != 1 || i.is_redirected());
  };
  bool const fills = st.axis_size(last) >= lanes;  // then neighbours that turn are vectors, in two parts
  auto const goes_across = [&](access_plan const& a) {
    return !a.write &&
           (stride(p, st, a, last) > 1 || (!fills && std::any_of(a.indices.begin(), a.indices.end(), turns)));
  };
  return !choosing_axes(*st.definition).empty() || std::any_of(st.accesses.begin(), st.accesses.end(), goes_across);
}

/// Returns true for a stage without a reduction that stores rows of few components, for many points.
[[nodiscard]] inline bool stores_components(plan const& p, stage_plan const& st, target const& machine) {
  auto const& d = *st.definition;
  auto const rank = d.axes.size();
  if (d.reduces() || d.updates || d.components.size() != 1 || rank < 2 || gathers(d)) return false;
  auto const lanes = machine.lanes(d.type());
  bool const of_operands = std::all_of(st.accesses.begin(), st.accesses.end(),
                                       [](access_plan const& a) { return a.write || a.producer < 0; });
  if (!choosing_axes(d).empty() && !(of_operands && st.output)) return false;
  return component_axes(p, st, lanes) > 0;
}

/// Returns the step that merges the axes `first` and `first` + 1 of a stage, and its plan. Returns nothing if a
/// reduction would be merged with them.
[[nodiscard]] inline std::optional<std::pair<step, plan>> merged_with_next(space const& so_far, plan const& p,
                                                                           stage_plan const& st, std::size_t first) {
  auto const& axes = st.definition->axes;
  auto const name = unused_axis(*p.program, axes[first].name + axes[first + 1].name);
  auto made = with_step(  // refused for axes that begin elsewhere, for example
      so_far, {primitive::fuse_axes, st.definition->name, {axes[first].name, axes[first + 1].name}, {name}, {}});
  for (std::size_t i = 0; made && i < p.stages.size(); ++i)
    if (p.stages[i].definition->reduces() && made->second.stages[i].axis_count() != p.stages[i].axis_count())
      return std::nullopt;
  return made;
}

/// Returns the step that merges a row of components with the axis of the points, or several axes of components with
/// each other before that, and its plan; nothing if the elements would be read at worse places than before.
[[nodiscard]] inline std::optional<std::pair<step, plan>> merged_components(space const& so_far, plan const& p,
                                                                            stage_plan const& st,
                                                                            target const& machine) {
  auto const rank = st.definition->axes.size();
  auto const lanes = machine.lanes(st.definition->type());
  auto const axes = component_axes(p, st, lanes);
  auto const first = merged_with_next(so_far, p, st, rank - 2);
  if (!first) return std::nullopt;
  auto whole = first;
  auto const number = static_cast<std::size_t>(&st - p.stages.data());
  if (axes == 2) {
    auto with = so_far;
    with.steps.push_back(first->first);
    whole = merged_with_next(with, first->second, first->second.stages[number], rank - 3);
    if (!whole) return std::nullopt;
  }
  if (index_divisions(*whole->second.program) <= index_divisions(*p.program)) return first;
  auto const& after = whole->second.stages[number];
  bool const few = axes == 1 && is_short(st, rank - 1);
  if (!few && !reads_across_row(p, st, lanes)) return std::nullopt;
  return phases_of(after, after.definition->axes.back().name, most_phases_of_points) > 1 ? first : std::nullopt;
}

}  // namespace detail

/// Returns the step for the next short row, and its plan; nothing if there is none. Axes of points that are contiguous
/// in all operands are merged first.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_short_row(space const& so_far, plan const& p,
                                                                         target const& machine) {
  auto const divisions = detail::index_divisions(*p.program);
  for (auto const& st : p.stages) {
    if (!detail::stores_components(p, st, machine)) continue;
    auto const rank = st.definition->axes.size();
    if (rank > 2)
      if (auto made = detail::merged_with_next(so_far, p, st, rank - 3);
          made && detail::index_divisions(*made->second.program) <= divisions)
        return made;
    if (auto made = detail::merged_components(so_far, p, st, machine)) return made;
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
