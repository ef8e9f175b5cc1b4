// SPDX-License-Identifier: Apache-2.0
// separate: a window is reduced along its other axes first. The partial results become a stage of their own, because
// neighbouring windows share them.
//
//   S(y, x) = sum(r, s) e(y + r, x + s)      →      V(y, x) = sum(r) e(y + r, x)
//                                                   S(y, x) = sum(s) V(y, x + s)               separate(S, s, "V")
//
// All that depends on the reduced axis must depend on it and on one free axis by the same sum: p * x + q * s, where p
// or q is 1. Windows of a stride (2 * x + s), dilated ones (x + 2 * s) and mirrored ones (x - s) are of this form.
//
// The primitive reassociates: it needs a built-in reduction without an order of its own.
//
// .separate(l, "V") prints
//
//   G(A f32 (6, 8)) -> G f32 (4, 7)
//   G(i, j) = sum(k < 3, l < 2) A(i + k, j + l)
// →
//   G(A f32 (6, 8)) -> G f32 (4, 7)
//   V(i < 4, j < 8) = sum(k < 3) A(i + k, j)
//   G(i, j) = sum(l < 2) V(i, j + l)
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class separate_call {
 public:
  /// Windows of the current stage are reduced along all of their axes except this one by a stage `partial`, which
  /// neighbouring windows share.
  template <fixed_string Over>
  [[nodiscard]] auto separate(axis<Over> const&, std::string partial) const {
    return typed::with_reduced_axis<Over, Over>(static_cast<Schedule const&>(*this), [&](auto& builder) {
      builder.add(primitive::separate, {Over.text}, {std::move(partial)});
    });
  }
};

template <>
struct rules<primitive::separate> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.results = {random.fresh("part")};
    s.loops = {st.definition->reduction.axes.empty() ? "none" : random.one_of(st.definition->reduction.axes).name};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/rebuild.hpp"
#include "ttune/schedule/primitive/window_places.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::separate>::arguments(step const& s, cpp_names& names) {
  return names.loop(s.loops[0]) + ", " + names.quoted(s.results[0]);
}

namespace detail {

/// Returns an expression in x and s for the place `at` of the row. One of the two stands for the place, the other is 0.
[[nodiscard]] inline ir::expr at_place(ir::stage const& st, place_in_row const& form, ir::expr const& e,
                                       ir::expr const& at) {
  auto const& x = st.axes[form.free].name;
  auto const& s = st.reduction.axes[form.reduced].name;
  auto const& stands = form.p == 1 ? x : s;
  return map_variables(e, [&](std::string const& v) -> ir::expr {
    if (v == stands) return at;
    return v == x || v == s ? ir::make_index(0) : ir::expr{};
  });
}

/// Returns the stage of the partial results.
[[nodiscard]] inline ir::stage along_places(ir::stage const& st, place_in_row const& form, std::string const& name) {
  auto const [first, last] = places_of(st, form);
  auto const at = ir::make_variable(st.axes[form.free].name) + first;
  ir::stage made = map_stage(st, [&](ir::expr const& e) { return at_place(st, form, e, at); });
  made.name = name;
  made.strides = operand_strides::dense;
  made.axes[form.free] = {st.axes[form.free].name, 0, last - first + 1};
  made.reduction.axes.erase(made.reduction.axes.begin() + static_cast<long>(form.reduced));
  return made;
}

}  // namespace detail

/// loops[0]: the reduced axis that remains. results[0]: the new stage.
handle<ir::program> rules<primitive::separate>::apply(handle<ir::program> const& p, step const& s) {
  auto const target = find_stage(p, s, s.stage);
  require_new_stage(p, s, s.results.at(0));
  auto const& reduced = target->reduction.axes;
  if (target->updates) refuse(s, s.stage, "updates its operand in place");
  if (reduced.size() < 2) refuse(s, s.stage, "has no two reduced axes");
  if (target->reduction.kind == ir::reduction_kind::tuple) refuse(s, s.stage, "is a reduction of a tuple");
  if (!target->reduction.associative || !target->reduction.commutative)
    refuse(s, s.stage, "its terms are combined in their order");
  if (target->type() == dtype::f16 || target->type() == dtype::bf16)
    refuse(s, s.stage, "its partial results would be rounded to 16 bits");
  std::size_t k = 0;
  while (k < reduced.size() && reduced[k].name != s.loops.at(0)) ++k;
  if (k == reduced.size()) refuse(s, s.loops[0], "is not a reduced axis of " + s.stage);
  auto const form = place_along(*target, k);
  if (!form)
    refuse(s, s.loops[0], "moves no window of " + s.stage + ": its terms need a sum of this axis and a free one");

  program_builder b(p);
  for (auto const& st : p->stages) {
    if (st != target) {
      b.keep(st);
      continue;
    }
    auto const partial = b.add(detail::along_places(*st, *form, s.results[0]));
    auto const first = places_of(*st, *form).first;
    std::vector<ir::expr> indices;
    for (auto const& a : st->axes) indices.push_back(ir::make_variable(a.name));
    indices[form->free] = indices[form->free] * form->p + ir::make_variable(reduced[k].name) * form->q + -first;
    ir::stage rest = *st;
    rest.predicate = {};
    rest.reduction.axes = {reduced[k]};
    rest.components[0].value = ir::make_access(partial, indices);
    b.replace(st, b.add(rest));
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
#endif
