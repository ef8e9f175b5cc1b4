// SPDX-License-Identifier: Apache-2.0
// split_scan: a scan (arith/scan_form.hpp) is computed in runs. The totals of the runs are scanned, then each run
// continues the total of all runs before it; runs are independent of each other.
//
//   S(t) = sum(k < N) e(k) where k <= t   →   P.totals(b) = sum(p < f) e(b * f + p)
//                                             P.running(b) = sum(k < N / f) P.totals(k) where k <= b
//                                             S(b, p) = sum(k < f) (k < 1 ? before(b) + e(b * f) : e(b * f + k))
//                                                       where k <= p
//                                                                                      split_scan(t, f, "P", b, p)
//
// Here before(b) = (b < 1 ? 0 : P.running(b - 1)). P.running and S are scans again, both inclusive ones. Blelloch's
// parallel scan has runs of two in each step ("Prefix Sums and Their Applications", 1990, section 1.3); here they have
// any length that divides the axis. Readers of the stage read S(i / f, i % f). The primitive regroups terms, and keeps
// their order: the reduction must be associative.
//
// .split_scan(t, 4, "P", b, p) prints
//
//   S(A f32 (8)) -> S f32 (8)
//   S(t) = sum(k < 8) A(k) where k <= t
// →
//   S(A f32 (8)) -> S f32 (2, 4)
//   P.totals(b < 2) = sum(p < 4) A(b * 4 + p)
//   P.running(b < 2) = sum(k < 2) P.totals(k) where k <= b
//   S(b, p) = sum(k < 4) select(k < 1, select(b < 1, 0.0, P.running(b - 1)) + A(b * 4), A(b * 4 + k)) where k <= p
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class split_scan_call {
 public:
  /// Scans the axis `Of` of the current stage in runs of `length`. The axis becomes `Run`, and `Place` in a run. The
  /// stages `parts`.totals and `parts`.running have the sums of runs.
  template <fixed_string Of, fixed_string Run, fixed_string Place>
  [[nodiscard]] auto split_scan(axis<Of> const&, std::int64_t length, std::string parts, axis<Run> const&,
                                axis<Place> const&) const {
    return typed::with_replaced<loop_names<Of>, loop_names<Run, Place>>(
        static_cast<Schedule const&>(*this), [&](auto& builder) {
          builder.add(primitive::split_scan, {Of.text}, {std::move(parts), Run.text, Place.text}, {literal(length)});
        });
  }
};

template <>
struct rules<primitive::split_scan> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    auto const& axes = st.definition->axes;
    s.loops = {axes.empty() ? "none" : random.one_of(axes).name};
    s.results = {random.fresh("runs"), random.fresh("b"), random.fresh("p")};
    s.values = {literal(2 + random.pick(4))};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/arith/scan_form.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/schedule/primitive/in_periods.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::split_scan>::arguments(step const& s, cpp_names& names) {
  auto const of = names.loop(s.loops[0]);
  auto const run = names.loop(s.results[1]);
  return of + ", " + names.number(s.values[0]) + ", " + names.quoted(s.results[0]) + ", " + run + ", " +
         names.loop(s.results[2]);
}

namespace detail {

/// Makes the stages of a scan in runs.
class scan_in_runs {
 public:
  scan_in_runs(ir::stage const& st, arith::scan_form form, step const& s)
      : st_(st),
        form_(std::move(form)),
        length_(s.values[0].literal),
        runs_(st.axes[form_.free].size() / length_),
        parts_(s.results[0]),
        run_(s.results[1]),
        place_(s.results[2]),
        term_(st.reduction.axes[0].name) {}

  [[nodiscard]] ir::stage totals() const {
    auto made = part(".totals", {{run_, 0, runs_}});
    made.reduction.axes = {{place_, 0, length_}};
    made.predicate = form_.rest;
    return map_stage(std::move(made), [&](ir::expr const& e) { return at_place(e, ir::make_variable(place_)); });
  }

  [[nodiscard]] ir::stage running(handle<ir::stage> const& totals) const {
    auto made = part(".running", {{run_, 0, runs_}});
    made.reduction.axes = {{term_, 0, runs_}};
    made.predicate = ir::make_binary(ir::binary_op::less_equal, ir::make_variable(term_), ir::make_variable(run_));
    for (std::size_t c = 0; c < made.components.size(); ++c)
      made.components[c].value = read(totals, c, {ir::make_variable(term_)});
    return made;
  }

  /// Returns the scan of each run. Its first term contains the total of the runs before it.
  [[nodiscard]] ir::stage whole(handle<ir::stage> const& running) const {
    auto made = st_;
    put_axes(made, {{run_, 0, runs_}, {place_, 0, length_}});
    made.reduction.axes = {{term_, 0, length_}};
    auto const term = ir::make_variable(term_);
    made.predicate = ir::make_binary(ir::binary_op::less_equal, term, ir::make_variable(place_));
    auto const all = ir::as_tuple(st_, 0);
    auto const run = ir::make_variable(run_);
    auto const is_first_run = ir::make_binary(ir::binary_op::less, run, ir::make_index(1));
    std::vector<ir::expr> before;
    std::vector<ir::expr> first;
    for (std::size_t c = 0; c < made.components.size(); ++c) {
      before.push_back(ir::make_select(is_first_run, all.identity[c], read(running, c, {run + -1})));
      first.push_back(term_at(all, c, ir::make_index(0)));
    }
    auto const is_first = ir::make_binary(ir::binary_op::less, term, ir::make_index(1));
    for (std::size_t c = 0; c < made.components.size(); ++c) {
      auto const begin = form_.offset < 0 ? before[c] : arith::substitute_arguments(all.combine[c], before, first);
      made.components[c].value = ir::make_select(is_first, begin, term_at(all, c, term + form_.offset));
    }
    return made;
  }

 private:
  /// Returns a stage like the scan, with other axes in place of the scanned one.
  [[nodiscard]] ir::stage part(char const* suffix, std::vector<ir::axis> const& axes) const {
    auto made = st_;
    made.name = parts_ + suffix;
    put_axes(made, axes);
    return made;
  }

  void put_axes(ir::stage& made, std::vector<ir::axis> const& axes) const {
    auto const at = made.axes.erase(made.axes.begin() + static_cast<std::ptrdiff_t>(form_.free));
    made.axes.insert(at, axes.begin(), axes.end());
  }

  /// Returns an expression of the scan for the term at a place in a run.
  [[nodiscard]] ir::expr at_place(ir::expr const& e, ir::expr const& place) const {
    auto const at = ir::make_variable(run_) * length_ + place;
    return map_variables(e, [&](std::string const& v) { return v == term_ ? at : ir::expr{}; });
  }

  /// Returns a component of the term at a place in a run: the identity if a condition excludes the term.
  [[nodiscard]] ir::expr term_at(ir::reduction const& all, std::size_t c, ir::expr const& place) const {
    auto const value = at_place(st_.components[c].value, place);
    return form_.rest ? ir::make_select(at_place(form_.rest, place), value, all.identity[c]) : value;
  }

  /// Returns a read of a part with indices in place of the scanned axis.
  [[nodiscard]] ir::expr read(handle<ir::stage> const& from, std::size_t component,
                              std::vector<ir::expr> const& scanned) const {
    std::vector<ir::expr> indices;
    for (std::size_t a = 0; a < st_.axes.size(); ++a) {
      if (a == form_.free) indices.insert(indices.end(), scanned.begin(), scanned.end());
      else indices.push_back(ir::make_variable(st_.axes[a].name));
    }
    return ir::make_access(from, indices, ir::boundary::none, {}, static_cast<int>(component));
  }

  ir::stage const& st_;
  arith::scan_form form_;
  std::int64_t length_;
  std::int64_t runs_;
  std::string parts_, run_, place_;
  std::string term_;  ///< the reduced axis
};

}  // namespace detail

/// results: the first part of the new stages' names, the axis of runs, the axis of places in one. values[0]: the length
/// of a run, a literal.
handle<ir::program> rules<primitive::split_scan>::apply(handle<ir::program> const& p, step const& s) {
  auto const target = find_stage(p, s, s.stage);
  auto const axis = free_axis_of(*target, s);
  auto const form = arith::scan_form_of(*target);
  if (!form || form->free != axis)
    refuse(s, s.loops[0], "is no axis of a scan: its terms need a condition k <= " + s.loops[0]);
  if (!target->reduction.associative) refuse(s, s.stage, "its combine function is not declared associative");
  if (target->strides != operand_strides::dense)
    refuse(s, s.stage, "is a strided operand: calls give a stride for each of its dimensions");
  for (auto const& c : target->components)
    if (c.type == dtype::f16 || c.type == dtype::bf16)
      refuse(s, s.stage, "its partial results would be rounded to 16 bits");
  if (!s.values.at(0).is_literal() || s.values[0].literal < 2)
    refuse(s, s.loops[0], "takes a literal length, 2 or more");
  auto const length = s.values[0].literal;
  if (target->axes[axis].size() % length != 0) refuse(s, s.loops[0], "is not a multiple of the length of a run");
  if (target->reduction.axes[0].size() < target->axes[axis].size())
    refuse(s, s.loops[0], "is longer than the reduced axis");
  require_new_axes(*target, s, s.results.at(1), s.results.at(2));
  for (auto const* part : {".totals", ".running"}) require_new_stage(p, s, s.results[0] + part);

  detail::scan_in_runs const runs(*target, *form, s);
  program_builder b(p);
  handle<ir::stage> made;
  for (auto const& st : p->stages) {
    if (st == target) {
      b.replace(st, made = b.add(runs.whole(b.add(runs.running(b.add(runs.totals()))))));
    } else {
      b.replace(st, b.add(reading_in_periods(*st, target, made, axis, length)));
    }
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
#endif
