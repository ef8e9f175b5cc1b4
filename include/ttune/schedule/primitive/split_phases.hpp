// SPDX-License-Identifier: Apache-2.0
// split_phases: an axis of a stage becomes two, the phase and the period, in a stage of its own. An element x is in
// phase x % P of period x / P; the old stage puts the elements back into their order.
//
//   O(x) = sum(s) I((x + 1) / 2 - s) * W((x + 1) % 2 + 2 * s)
//                          →      Op(p, o) = sum(s) I(o + p - s) * W(1 - p + 2 * s)
//                                 O(x) = Op(x % 2, x / 2)                          split_phases(x, 2, 0, "Op", p, o)
//
// Quotients and remainders of the axis become affine in the two new ones, if they are so within a period. If they are
// with another first element only, as (x + 1) / 3, periods begin `shift` elements before the axis: x = 3 * o + p - 1.
//
// Elements before the first and after the last one are computed, too, if the first period or the last one is partly
// filled. Where a read would lie outside of its source for them, they have no terms; then the stage must be a
// reduction.
//
// .split_phases(l, 3, 0, "Tp", k, i) prints
//
//   T(A f32 (6, 8), B f32 (3)) -> T f32 (10)
//   T(l) = sum(j < 5) A(l / 3, j) * B(l % 3)
// →
//   T(A f32 (6, 8), B f32 (3)) -> T f32 (10)
//   Tp(k < 3, i < 4) = sum(j < 5) A(i, j) * B(k)
//   T(l) = Tp(l % 3, l / 3)
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class split_phases_call {
 public:
  /// Computes the current stage in the stage `in_phases`, whose axes `Phase` and `Period` stand for the axis `Of`: its
  /// elements are at `Period * period + Phase - shift`.
  template <fixed_string Of, fixed_string Phase, fixed_string Period>
  [[nodiscard]] auto split_phases(axis<Of> const&, std::int64_t period, std::int64_t shift, std::string in_phases,
                                  axis<Phase> const&, axis<Period> const&) const {
    return typed::without_reduction(static_cast<Schedule const&>(*this), [&](auto& builder) {
      builder.add(primitive::split_phases, {Of.text}, {std::move(in_phases), Phase.text, Period.text},
                  {literal(period), literal(shift)});
    });
  }
};

template <>
struct rules<primitive::split_phases> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    auto const& axes = st.definition->axes;
    s.loops = {axes.empty() ? "none" : random.one_of(axes).name};
    s.results = {random.fresh("phases"), random.fresh("p"), random.fresh("o")};
    auto const period = 2 + random.pick(3);
    s.values = {literal(period), literal(random.pick(period))};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include <algorithm>

#include "ttune/arith/simplify.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/schedule/primitive/phase_forms.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::split_phases>::arguments(step const& s, cpp_names& names) {
  auto const of = names.loop(s.loops[0]);
  auto text = of + ", " + names.number(s.values[0]) + ", " + names.number(s.values[1]) + ", ";
  return text + names.quoted(s.results[0]) + ", " + names.loop(s.results[1]) + ", " + names.loop(s.results[2]);
}

namespace detail {

/// Makes the stage of phases.
class phase_splitter {
 public:
  phase_splitter(ir::stage const& st, std::size_t axis, step const& s)
      : st_(st), axis_(axis), period_(s.values[0].literal), shift_(s.values[1].literal), step_(s) {}

  [[nodiscard]] ir::stage in_phases() const {
    ir::stage made = st_;
    made.name = step_.results[0];
    made.order = ir::layout::row_major;
    made.strides = operand_strides::dense;
    auto const& split = st_.axes[axis_];
    made.axes[axis_] = {step_.results[1], 0, period_};
    made.axes.insert(made.axes.begin() + static_cast<std::ptrdiff_t>(axis_) + 1,
                     {step_.results[2], 0, ceil_divide(split.size() + shift_, period_)});
    auto const element = ir::make_variable(step_.results[2]) * period_ + ir::make_variable(step_.results[1]) + -shift_;
    auto const known = arith::ranges_of(made);
    phase_forms const forms(step_.results[1], period_);
    auto const moved = [&](ir::expr const& e) {
      auto const there = map_variables(e, [&](std::string const& v) { return v == split.name ? element : ir::expr{}; });
      return arith::simplify(forms.affine(arith::simplify(there, known)), known);
    };
    made = map_stage(std::move(made), moved);
    if ((split.size() + shift_) % period_ != 0 || shift_ != 0) leave_out_beyond(made, element, known);
    return made;
  }

 private:
  /// Adds the condition that elements exist, unless all reads are inside of their sources for others, too.
  void leave_out_beyond(ir::stage& made, ir::expr const& element, arith::ranges const& known) const {
    auto const given = made.predicate ? made.predicate : ir::make_bool(true);
    if (!are_inside(given, ir::make_bool(true), known))
      refuse(step_, st_.name, "has a condition that reads outside of its sources in a period that is partly filled");
    if (std::all_of(made.components.begin(), made.components.end(),
                    [&](ir::component const& c) { return are_inside(c.value, given, known); }))
      return;
    if (!st_.reduces()) refuse(step_, st_.name, "reads outside of its sources in a period that is partly filled");
    made.predicate = arith::simplify(both(given, within(element, st_.axes[axis_].size())), known);
  }

  [[nodiscard]] static ir::expr both(ir::expr const& a, ir::expr const& b) {
    return ir::make_binary(ir::binary_op::logical_and, a, b);
  }
  [[nodiscard]] static ir::expr within(ir::expr const& index, std::int64_t size) {
    return both(ir::make_binary(ir::binary_op::less_equal, ir::make_index(0), index),
                ir::make_binary(ir::binary_op::less, index, ir::make_index(size)));
  }

  /// Returns true if all reads of an expression lie inside of their sources where a condition holds.
  [[nodiscard]] static bool are_inside(ir::expr const& e, ir::expr const& given, arith::ranges const& known) {
    return !ir::contains(e, [&](ir::expr const& part) {
      auto const* a = ir::as<ir::access>(part);
      if (!a || a->outside != ir::boundary::none) return false;
      auto const shape = ir::shape_of(a->from);
      auto all = given;
      for (std::size_t d = 0; d < shape.size(); ++d) all = both(all, within(a->indices[d], shape[d]));
      return !ir::equal(arith::simplify(all, known), arith::simplify(given, known));
    });
  }

  ir::stage const& st_;
  std::size_t axis_;
  std::int64_t period_;
  std::int64_t shift_;
  step const& step_;
};

}  // namespace detail

/// results: the new stage, its axes of phases and of periods. values: the period, and the number of elements by which
/// the first period begins before the axis; both are literals.
handle<ir::program> rules<primitive::split_phases>::apply(handle<ir::program> const& p, step const& s) {
  auto const target = find_stage(p, s, s.stage);
  require_new_stage(p, s, s.results.at(0));
  if (target->updates) refuse(s, s.stage, "updates its operand in place");
  if (!s.values.at(0).is_literal() || s.values[0].literal < 2 || !s.values.at(1).is_literal() ||
      s.values[1].literal < 0 || s.values[1].literal >= s.values[0].literal)
    refuse(s, s.loops.at(0), "takes a literal period of at least 2, and a shift below it");
  auto const axis = free_axis_of(*target, s);
  require_new_axes(*target, s, s.results.at(1), s.results.at(2));

  program_builder b(p);
  for (auto const& st : p->stages) {
    if (st != target) {
      b.keep(st);
      continue;
    }
    auto const inner = b.add(detail::phase_splitter(*st, axis, s).in_phases());
    std::vector<ir::expr> indices;
    for (auto const& a : st->axes) indices.push_back(ir::make_variable(a.name));
    auto const place = indices[axis] + s.values[1].literal;
    auto const period = ir::make_index(s.values[0].literal);
    indices[axis] = ir::make_binary(ir::binary_op::floor_modulo, place, period);
    indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                   ir::make_binary(ir::binary_op::floor_divide, place, period));
    ir::stage outer{{}, st->name, st->axes, {}, {}, {}, {}, st->order, st->strides};
    for (std::size_t c = 0; c < st->components.size(); ++c)
      outer.components.push_back({st->components[c].name, st->components[c].type,
                                  ir::make_access(inner, indices, ir::boundary::none, {}, static_cast<int>(c))});
    b.replace(st, b.add(outer));
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
#endif
