// SPDX-License-Identifier: Apache-2.0
// compute_once: a function with fewer different arguments than its stage has elements becomes a stage. It is the
// largest function of the stage that depends on exactly the axes given, or on the elements of one source, with all
// operations around it that depend on nothing else and are the same wherever the function is computed.
//
//   C(i, j) = sum(k) exp(A(i, k)) * B(k, j)      →      E(i, k) = exp(A(i, k))
//                                                       C(i, j) = sum(k) E(i, k) * B(k, j)   compute_once({i, k}, "E")
//
//   O(x) = sum(r) exp(A(x + r))                  →      E(d0) = exp(A(d0))
//                                                       O(x) = sum(r) E(x + r)               compute_once({A}, "E")
//
//   C(i, j) = sum(k) select(A(i, k) > 0, A(i, k) + 1, exp(A(i, k))) * B(k, j)
//     →  E(i, k) = select(A(i, k) > 0, A(i, k) + 1, exp(A(i, k)));  C(i, j) = sum(k) E(i, k) * B(k, j)
//
//   O(i) = sum(k) A(at(C(i, k))) * B(at(C(i, k)))  →    E(d0) = A(d0) * B(d0)
//                                                       O(i) = sum(k) E(at(C(i, k)))         compute_once({A}, "E")
//
// All stages that compute the same function read the new stage, too. Its axes have the order of the step. Only
// functions are taken (exp, sqrt, power, …), because their results do not depend on absent arguments, and operations on
// two elements that are gathered together, none of which can be absent; if there is none
// of these axes, an element of a constant, so that constants are laid out as they are read: W(c, 2 * s + 1 - p) becomes
// E(p, c, s). They must be defined at all points of the axes, whatever guards the stage has: no read may lie outside,
// and no integer may be divided by data.
//
// .compute_once({"i", "k"}, "E") prints
//
//   L(A f32 (6, 8), B f32 (8, 10)) -> L f32 (6, 10)
//   L(i, j) = sum(k < 8) exp(A(i, k)) * B(k, j)
// →
//   L(A f32 (6, 8), B f32 (8, 10)) -> L f32 (6, 10)
//   E(i < 6, k < 8) = exp(A(i, k))
//   L(i, j) = sum(k < 8) E(i, k) * B(k, j)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class compute_once_call {
 public:
  /// The largest function in the current stage of exactly these axes, or of single elements of one source, becomes
  /// stage `name`: `compute_once({"i", "k"}, "E")`.
  [[nodiscard]] auto compute_once(std::vector<std::string> of, std::string name) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::compute_once, std::move(of),
                            {std::move(name)});
  }
};

/// Returns the axes of the last function in a stage; {"none"} if there is none.
[[nodiscard]] std::vector<std::string> axes_of_a_function(ir::stage const& st);

template <>
struct rules<primitive::compute_once> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.results = {random.fresh("once")};
    s.loops = random.chance(0.4) ? std::vector{random.some_source(st)} : axes_of_a_function(*st.definition);
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include <algorithm>
#include <optional>

#include "ttune/ir/equal.hpp"
#include "ttune/schedule/primitive/functions.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::compute_once>::arguments(step const& s, cpp_names& names) {
  std::string of;
  for (auto const& n : s.loops) of += (of.empty() ? "" : ", ") + names.quoted(n);
  return "{" + of + "}, " + names.quoted(s.results[0]);
}

namespace detail {

[[nodiscard]] inline int count_nodes(ir::expr const& e) {
  int count = 0;
  ir::for_each_node(e, [&](ir::expr const&) { ++count; });
  return count;
}

/// Returns the largest function in a stage's values for which `test` is true, the first one of several; else the first
/// such element of a constant.
template <class Test>
[[nodiscard]] ir::expr largest_part(ir::stage const& st, Test const& test) {
  ir::expr best;
  int most = 0;
  for (auto const& c : st.components)
    ir::for_each_node(c.value, [&](ir::expr const& e) {
      if (is_constant_read(e) && !best && test(e)) best = e;
      if (!is_worth_once(e) || !test(e)) return;
      auto const count = count_nodes(e);
      if (count > most) most = count, best = e;
    });
  return best;
}

/// Replaces parts from the outside in; `with(part)` is null for parts that stay.
template <class With>
[[nodiscard]] ir::expr replace_parts(ir::expr const& e, With const& with) {
  if (auto made = with(e)) return made;
  return ir::map_operands(e, [&](ir::expr const& o) { return replace_parts(o, with); });
}

/// Returns the stage of a function of axes, which run from 0.
[[nodiscard]] inline ir::stage stage_of(std::string const& name, ir::expr const& term,
                                        std::vector<ir::axis> const& axes) {
  ir::stage made;
  made.name = name;
  for (auto const& a : axes) made.axes.push_back({a.name, 0, a.begin == 0 ? a.end : ir::extent(a.size())});
  auto const shifted = map_variables(term, [&](std::string const& v) -> ir::expr {
    for (auto const& a : axes)
      if (a.name == v && a.begin != 0) return ir::make_variable(v) + a.begin;
    return {};
  });
  made.components.push_back({"", term->type, shifted});
  return made;
}

/// Adds a stage `made` to the program; reads it wherever `place_of(stage, part)` returns indices.
template <class PlaceOf>
[[nodiscard]] handle<ir::program> with_stage(handle<ir::program> const& p, ir::stage const& made,
                                             PlaceOf const& place_of) {
  program_builder b(p);
  handle<ir::stage> added;
  for (auto const& st : p->stages) {
    auto const reads = [&](ir::expr const& part) {
      auto const indices = place_of(*st, part);
      if (!indices) return ir::expr();
      if (!added) added = b.add(made);
      return ir::make_access(ir::source(added), *indices);
    };
    auto changed = *st;
    if (!st->updates)
      for (auto& c : changed.components) c.value = replace_parts(c.value, reads);
    b.replace(st, b.add(changed));
  }
  return b.finish();
}

/// Returns the largest expression around a function that has the same form at all places where the function is
/// computed, and no wider elements; it is not the whole value of a stage without a reduction, which would be a copy.
/// `form_in(stage, e)` is null for expressions that the new stage cannot compute.
template <class FormIn>
[[nodiscard]] ir::expr with_surroundings(ir::program const& p, ir::expr term, FormIn const& form_in) {
  while (true) {
    ir::expr around;
    bool same = true;
    auto const is_term = [&](ir::stage const& st, ir::expr const& e) {
      if (e->type != term->type) return false;
      auto const form = form_in(st, e);
      return form && ir::equal(form, term);
    };
    for (auto const& st : p.stages)
      for (auto const& c : st->components) {
        same = same && !is_term(*st, c.value);
        ir::for_each_node(c.value, [&](ir::expr const& e) {
          bool holds = false;
          ir::for_each_operand(e, [&](ir::expr const& o) { holds = holds || is_term(*st, o); });
          if (!holds) return;
          auto const form = form_in(*st, e);
          bool const is_copy = !st->reduces() && ir::equal(e, c.value);
          same = same && form && !is_copy && (!around || ir::equal(form, around));
          around = form;
        });
      }
    if (!same || !around || size_in_bytes(around->type) > size_in_bytes(term->type)) return term;
    term = around;
  }
}

[[nodiscard]] inline handle<ir::program> once_for_axes(handle<ir::program> const& p, step const& s,
                                                       ir::stage const& target) {
  auto const fits = [&](ir::stage const& st, ir::expr const& e) {
    auto const axes = axes_of(e, st);
    return axes.size() == s.loops.size() && has_axes(target, axes) &&
           std::all_of(axes.begin(), axes.end(),
                       [&](ir::axis const& a) { return std::count(s.loops.begin(), s.loops.end(), a.name) == 1; }) &&
           is_defined_everywhere(e, arith::ranges_of(st));
  };
  auto const found = largest_part(target, [&](ir::expr const& e) { return fits(target, e); });
  if (!found) refuse(s, listed(s.loops), "are not the axes of any function in " + target.name);
  bool const is_constant = !is_worth_once(found);
  auto const form_in = [&](ir::stage const& st, ir::expr const& e) {
    return (is_constant ? is_constant_read(e) : holds_function(e)) && fits(st, e) ? e : ir::expr();
  };
  auto const term = is_constant ? found : with_surroundings(*p, found, form_in);
  std::vector<ir::axis> axes;
  std::vector<ir::expr> indices;
  for (auto const& name : s.loops)
    for (auto const& a : axes_of(term, target))
      if (a.name == name) axes.push_back(a), indices.push_back(ir::make_variable(a.name) + -a.begin);
  return with_stage(p, stage_of(s.results[0], term, axes), [&](ir::stage const& st, ir::expr const& part) {
    auto const form = form_in(st, part);
    return form && ir::equal(form, term) ? std::optional(indices) : std::nullopt;
  });
}

[[nodiscard]] inline handle<ir::program> once_for_elements(handle<ir::program> const& p, step const& s,
                                                           ir::stage const& target) {
  auto const reads_it = [&](ir::expr const& element) {
    return ir::name_of(ir::as<ir::access>(element)->from) == s.loops[0];
  };
  auto const found = largest_part(target, [&](ir::expr const& e) {
    if (!is_worth_once(e)) return false;
    auto const f = as_function_of_element(e);
    return f.form && reads_it(f.element);
  });
  if (!found) refuse(s, s.loops[0], "is no source of which " + target.name + " has a function of single elements");
  auto const wanted =
      with_surroundings(*p, as_function_of_element(found).form,
                        [](ir::stage const&, ir::expr const& e) { return as_function_of_element(e).form; });
  std::vector<ir::axis> axes;
  auto const shape = ir::shape_of(ir::as<ir::access>(as_function_of_element(found).element)->from);
  for (std::size_t d = 0; d < shape.size(); ++d) axes.push_back({"d" + std::to_string(d), 0, shape[d]});
  return with_stage(p, stage_of(s.results[0], wanted, axes),
                    [&](ir::stage const&, ir::expr const& part) -> std::optional<std::vector<ir::expr>> {
                      if (part->type != wanted->type) return std::nullopt;
                      auto const f = as_function_of_element(part);
                      if (!f.form || !ir::equal(f.form, wanted)) return std::nullopt;
                      return ir::as<ir::access>(f.element)->indices;
                    });
}

}  // namespace detail

/// loops: axes of the stage, in the order that the new stage gets, or one source that it reads. results[0]: the new
/// stage.
handle<ir::program> rules<primitive::compute_once>::apply(handle<ir::program> const& p, step const& s) {
  auto const target = find_stage(p, s, s.stage);
  require_new_stage(p, s, s.results.at(0));
  if (target->updates) refuse(s, s.stage, "updates its operand in place");
  for (auto const* axes : {&target->axes, &target->reduction.axes})
    for (auto const& a : *axes)
      if (!s.loops.empty() && a.name == s.loops[0]) return detail::once_for_axes(p, s, *target);
  if (s.loops.size() != 1) refuse(s, listed(s.loops), "are neither axes of " + s.stage + " nor one source of it");
  return detail::once_for_elements(p, s, *target);
}

std::vector<std::string> axes_of_a_function(ir::stage const& st) {
  std::vector<std::string> found{"none"};
  for (auto const& c : st.components)
    ir::for_each_node(c.value, [&](ir::expr const& e) {
      if (!is_function(e) && !(is_constant_read(e) && found.size() == 1 && found[0] == "none")) return;
      found.clear();
      for (auto const& a : axes_of(e, st)) found.push_back(a.name);
    });
  return found;
}

}}}  // namespace ttune::v0::primitives
#endif
