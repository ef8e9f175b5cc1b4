// SPDX-License-Identifier: Apache-2.0
// split_axis: an axis of a stage becomes two, whole periods and the place in a period. The opposite of fuse_axes: no
// element moves. Where indices have quotients and remainders by the period, as those of transforms of blocks, they
// become affine.
//
//   O(x) = sum(k) I(x / 8 * 8 + k) * D(x % 8, k)      →      O(o, p) = sum(k) I(o * 8 + k) * D(p, k)
//                                                                                              split_axis(x, 8, o, p)
//
// Readers of the stage read O(i / 8, i % 8) instead of O(i). The period must divide the axis.
//
// .split_axis(l, 3, i, k) prints
//
//   T(A f32 (6, 8), B f32 (3)) -> T f32 (9)
//   T(l) = sum(j < 5) A(l / 3, j) * B(l % 3)
// →
//   T(A f32 (6, 8), B f32 (3)) -> T f32 (3, 3)
//   T(i, k) = sum(j < 5) A(i, j) * B(k)
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class split_axis_call {
 public:
  /// Splits an axis of the current stage into whole periods `Period` and the place `Phase` in a period.
  template <fixed_string Of, fixed_string Period, fixed_string Phase>
  [[nodiscard]] auto split_axis(axis<Of> const&, std::int64_t period, axis<Period> const&, axis<Phase> const&) const {
    return typed::with_replaced<loop_names<Of>, loop_names<Period, Phase>>(
        static_cast<Schedule const&>(*this), [&](auto& builder) {
          builder.add(primitive::split_axis, {Of.text}, {Period.text, Phase.text}, {literal(period)});
        });
  }
};

template <>
struct rules<primitive::split_axis> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    auto const& axes = st.definition->axes;
    s.loops = {axes.empty() ? "none" : random.one_of(axes).name};
    s.results = {random.fresh("o"), random.fresh("p")};
    s.values = {literal(2 + random.pick(3))};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/in_periods.hpp"
#include "ttune/schedule/primitive/phase_forms.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::split_axis>::arguments(step const& s, cpp_names& names) {
  auto const of = names.loop(s.loops[0]);
  return of + ", " + names.number(s.values[0]) + ", " + names.loop(s.results[0]) + ", " + names.loop(s.results[1]);
}

namespace detail {

/// Returns a stage with its axis in two parts.
[[nodiscard]] inline ir::stage in_periods(ir::stage const& st, std::size_t axis, std::int64_t period, step const& s) {
  ir::stage made = st;
  auto const name = st.axes[axis].name;
  made.axes[axis] = {s.results[0], 0, st.axes[axis].size() / period};
  made.axes.insert(made.axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, {s.results[1], 0, period});
  auto const element = ir::make_variable(s.results[0]) * period + ir::make_variable(s.results[1]);
  auto const known = arith::ranges_of(made);
  phase_forms const forms(s.results[1], period);
  return map_stage(std::move(made), [&](ir::expr const& e) {
    auto const there = map_variables(e, [&](std::string const& v) { return v == name ? element : ir::expr{}; });
    return arith::simplify(forms.affine(arith::simplify(there, known)), known);
  });
}

}  // namespace detail

/// results: the axes of whole periods and of places in one. values[0]: the period, a literal.
handle<ir::program> rules<primitive::split_axis>::apply(handle<ir::program> const& p, step const& s) {
  auto const target = find_stage(p, s, s.stage);
  if (target->updates) refuse(s, s.stage, "updates its operand in place");
  if (target->strides != operand_strides::dense)
    refuse(s, s.stage, "is a strided operand: calls give a stride for each of its dimensions");
  auto const axis = free_axis_of(*target, s);
  if (!s.values.at(0).is_literal() || s.values[0].literal < 2)
    refuse(s, s.loops[0], "takes a literal period, 2 or more");
  auto const period = s.values[0].literal;
  if (target->axes[axis].size() % period != 0) refuse(s, s.loops[0], "is not a multiple of the period");
  require_new_axes(*target, s, s.results.at(0), s.results.at(1));

  program_builder b(p);
  handle<ir::stage> made;
  for (auto const& st : p->stages) {
    if (st == target) b.replace(st, made = b.add(detail::in_periods(*st, axis, period, s)));
    else b.replace(st, b.add(reading_in_periods(*st, target, made, axis, period)));
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
#endif
