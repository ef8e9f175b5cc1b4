// SPDX-License-Identifier: Apache-2.0
// Finds functions that are computed for many elements though they have few different arguments (compute_once): of a
// factor of a product, of the weights of a window, of single elements in a window. Or functions in stages of several
// iteration spaces, as the powers of a softmax that is written without a stage for them. Products of elements that are
// gathered together are computed once for each place, too.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/cpu/with_step.hpp"
#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/schedule/primitive/functions.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// A stage for a function pays if the function is called at least twice as often as it has arguments, since results
/// must be stored.
inline constexpr double least_times_once = 2;
inline constexpr double most_once_elements = 1 << 26;

namespace detail {

[[nodiscard]] inline double points_of(std::vector<ir::axis> const& axes) {
  double points = 1;
  for (auto const& a : axes) points *= static_cast<double>(std::max<std::int64_t>(1, a.size()));
  return points;
}
[[nodiscard]] inline double points_of(ir::stage const& st) { return points_of(st.axes) * points_of(st.reduction.axes); }

/// Returns a name for an iteration space, from names and sizes. Stages of one space are computed together anyway.
[[nodiscard]] inline std::string space_name(ir::stage const& st) {
  std::string name = st.reduces() ? "reduces" : "";
  for (auto const* axes : {&st.axes, &st.reduction.axes})
    for (auto const& a : *axes) name += " " + a.name + std::to_string(a.size());
  return name;
}

/// Returns how often a function of these axes is computed; each iteration space counts once.
[[nodiscard]] inline double times_of_term(ir::program const& p, ir::expr const& term,
                                          std::vector<ir::axis> const& axes) {
  double times = 0;
  std::set<std::string> spaces;
  for (auto const& st : p.stages) {
    bool found = false;
    for (auto const& c : st->components)
      found = found || ir::contains(c.value, [&](ir::expr const& e) { return ir::equal(e, term); });
    if (found && primitives::has_axes(*st, axes) && spaces.insert(space_name(*st)).second) times += points_of(*st);
  }
  return times / points_of(axes);
}

/// Returns true if the innermost loops of a stage change the function; otherwise it is moved out of them anyway.
[[nodiscard]] inline bool changes_inside(ir::stage const& st, std::vector<ir::axis> const& axes) {
  auto const& inner = st.reduces() ? st.reduction.axes : st.axes;
  auto const is_of_term = [&](ir::axis const& a) {
    return std::any_of(axes.begin(), axes.end(), [&](ir::axis const& t) { return t.name == a.name; });
  };
  return st.reduces() ? std::any_of(inner.begin(), inner.end(), is_of_term)
                      : !inner.empty() && is_of_term(inner.back());
}

[[nodiscard]] inline std::string unused_stage(ir::program const& p, std::string const& reader,
                                              std::string const& kind = "once") {
  auto const is_used = [&](std::string const& name) {
    return std::any_of(p.stages.begin(), p.stages.end(), [&](auto const& st) { return st->name == name; });
  };
  int number = 0;
  while (is_used(reader + "." + kind + std::to_string(number))) ++number;
  return reader + "." + kind + std::to_string(number);
}

/// Returns the names of axes in the order in which the elements that an expression reads are stored: those of the read
/// with most of the axes.
[[nodiscard]] inline std::vector<std::string> in_order_of_elements(ir::expr const& e,
                                                                   std::vector<ir::axis> const& axes) {
  std::vector<std::string> best;
  ir::for_each_node(e, [&](ir::expr const& part) {
    auto const* read = ir::as<ir::access>(part);
    if (!read) return;
    std::vector<std::string> moved;
    for (auto const& i : read->indices)
      for (auto const& a : axes)
        if (std::find(moved.begin(), moved.end(), a.name) == moved.end() && ir::mentions(i, {a.name}))
          moved.push_back(a.name);
    if (moved.size() > best.size()) best = std::move(moved);
  });
  std::vector<std::string> order;
  for (auto const& a : axes)
    if (std::find(best.begin(), best.end(), a.name) == best.end()) order.push_back(a.name);
  order.insert(order.end(), best.begin(), best.end());
  return order;
}

/// Returns the axes or the source for the step; nothing if the function can stay where it is.
[[nodiscard]] inline std::optional<std::vector<std::string>> computed_fewer_times(ir::program const& p,
                                                                                  ir::stage const& st,
                                                                                  ir::expr const& term) {
  auto const axes = primitives::axes_of(term, st);
  auto const points = points_of(axes);
  auto const element = primitives::as_function_of_element(term);
  if (element.form) {
    auto const& from = ir::as<ir::access>(element.element)->from;
    double elements = 1;
    for (auto const n : ir::shape_of(from)) elements *= static_cast<double>(n);
    bool const fewer = elements < points && points_of(st) >= least_times_once * elements;
    if (fewer && elements <= most_once_elements) return std::vector{ir::name_of(from)};
  }
  if (axes.empty() || points > most_once_elements || !changes_inside(st, axes) ||
      !primitives::is_defined_everywhere(term, arith::ranges_of(st)) || times_of_term(p, term, axes) < least_times_once)
    return std::nullopt;
  return in_order_of_elements(term, axes);
}

/// Returns the outermost function in an expression that should be a stage of its own.
[[nodiscard]] inline std::optional<std::vector<std::string>> find_computed_once(ir::program const& p,
                                                                                ir::stage const& st,
                                                                                ir::expr const& e) {
  bool const is_whole = !st.reduces() && ir::equal(e, st.components[0].value);
  if (primitives::is_worth_once(e) && !is_whole)
    if (auto made = computed_fewer_times(p, st, e)) return made;
  std::optional<std::vector<std::string>> found;
  ir::for_each_operand(e, [&](ir::expr const& o) {
    if (!found) found = find_computed_once(p, st, o);
  });
  return found;
}

}  // namespace detail

/// Returns the step for the next function that becomes a stage, and its plan; nothing if there is none.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_computed_once(space const& so_far, plan const& p) {
  for (auto const& st : p.program->stages) {
    if (st->updates || !choosing_axes(*st).empty()) continue;
    for (auto const& c : st->components) {
      auto of = detail::find_computed_once(*p.program, *st, c.value);
      if (!of) continue;
      auto const once = detail::unused_stage(*p.program, st->name);
      if (auto made = detail::with_step(so_far, {primitive::compute_once, st->name, std::move(*of), {once}, {}}))
        return made;  // refused where a larger function of the same axes is meant
    }
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
