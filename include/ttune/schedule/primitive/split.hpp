// SPDX-License-Identifier: Apache-2.0
// split: one loop becomes several, outermost first.
//
//   for i in 0..E                    for io in 0..ceil(E / f)
//     S[i]                     →       for ii in 0..f
//                                        if io * f + ii < E: S[io * f + ii]
//
// The condition disappears if f divides E; otherwise the loops are cut into an interior and a tail
// (lowering/partition.hpp), so that no inner loop has a condition.
//
// .split(i, 4, io, ii) prints
//
//   for D.i < 6
//     for D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
// →
//   for D.io < 2
//     for D.ii < 4
//       for D.j < 8
//         if D.io * 4 + D.ii < 6
//           D[D.io * 4 + D.ii, D.j] = A[D.io * 4 + D.ii, D.j] * 2.0
#pragma once

#include <initializer_list>
#include <string>

#include "ttune/schedule/choices.hpp"
#include "ttune/schedule/primitive/rules.hpp"
#include "ttune/space/factors.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class split_call {
 public:
  /// Splits a loop into several, outermost first: `split(i, 16, io, ii)`, `split(i, factors<3>("tile"), i0, i1, i2)`.
  template <class Loop, class Choice, class... Parts>
  [[nodiscard]] auto split(Loop const& loop, Choice const& choice, Parts const&... parts) const {
    return typed::split_loop(static_cast<Schedule const&>(*this), loop, typed::as_choice(choice), parts...);
  }
  /// Splits a loop by a list of inner extents: `split(i, {4, 16}, i0, i1, i2)`.
  template <class Loop, class... Parts>
  [[nodiscard]] auto split(Loop const& loop, std::initializer_list<std::int64_t> inner, Parts const&... parts) const {
    return typed::split_loop(static_cast<Schedule const&>(*this), loop, split_choice{inner, {}}, parts...);
  }
  /// Tiles two loops: two splits and a reorder to io, jo, ii, ji.
  template <class I, class J, class TileI, class TileJ, class Io, class Jo, class Ii, class Ji>
  [[nodiscard]] auto tile(I const& i, J const& j, TileI const& ti, TileJ const& tj, Io const& io, Jo const& jo,
                          Ii const& ii, Ji const& ji) const {
    return split(i, ti, io, ii).split(j, tj, jo, ji).reorder(io, jo, ii, ji);
  }
};

template <>
struct rules<primitive::split> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    auto const name = random.some_loop(st);
    s.loops = {name};
    auto const parts = 2 + static_cast<std::int32_t>(random.pick(2));
    for (std::int32_t i = 0; i < parts; ++i) s.results.push_back(random.fresh("p"));
    std::int64_t extent = 0;
    for (std::size_t a = 0; a < st.axis_count(); ++a)
      if (st.axis_name(a) == name) extent = st.axis_size(a);
    if (extent > 0 && random.chance(0.5)) {
      constexpr factor_policy policies[] = {factor_policy::exact, factor_policy::powers_of_two, factor_policy::any};
      auto const id = random.add_knob(factors_knob(random.fresh("tile"), extent, parts, policies[random.pick(3)]));
      for (std::int32_t c = 1; c < parts; ++c) s.values.push_back({id, c, 0});
    } else {
      for (std::int32_t c = 1; c < parts; ++c) s.values.push_back(literal(1 + random.pick(7)));
    }
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::split>::arguments(step const& s, cpp_names& names) {
  auto const loop = names.loop(s.loops[0]);
  std::string inner;
  for (auto const& v : s.values) inner += (inner.empty() ? "" : ", ") + names.number(v);
  return loop + ", " + (s.values.size() == 1 ? inner : "{" + inner + "}") + ", " + names.loops(s.results);
}

void rules<primitive::split>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (s.loops.size() != 1 || s.results.size() < 2 || s.values.size() + 1 != s.results.size())
    refuse(s, listed(s.loops), "takes one loop, the names of its parts and the extents of all parts but the outermost");
  auto const id = leaf(st, s, s.loops[0]);
  if (!st.loops[static_cast<std::size_t>(id)].group.empty())
    refuse(s, s.loops[0], "this loop is fused of others: split them first, fuse then");
  for (auto const& other : p.stages)
    for (auto const& place : other.places)
      if (place.kind == place_plan::sort::inside && place.stage == stage_index(p, s, s.stage) && place.loop == id)
        refuse(s, s.loops[0], other.definition->name + " is computed in this loop: split before compute_at");
  if (!st.permuted.empty() && static_cast<std::int32_t>(position(st, id)) <= st.permuted.back())
    refuse(s, s.loops[0], "stands where a permutation knob moves loops: split before that reorder");
  for (auto const& v : s.values)
    if (v.is_literal() && v.literal < 1)
      refuse(s, s.loops[0], "the extent of a part is " + std::to_string(v.literal) + "; it must be at least 1");
  std::vector<std::int32_t> parts;
  for (auto const& name : s.results) {
    require_new_name(st, s, name);
    loop_plan part;
    part.name = name;
    part.axis = st.loops[static_cast<std::size_t>(id)].axis;
    parts.push_back(static_cast<std::int32_t>(st.loops.size()));
    st.loops.push_back(std::move(part));
  }
  auto& parent = st.loops[static_cast<std::size_t>(id)];
  parent.children = parts;
  parent.factors = s.values;
  auto const at = st.order.begin() + static_cast<std::ptrdiff_t>(position(st, id));
  st.order.insert(st.order.erase(at), parts.begin(), parts.end());
}

}}}  // namespace ttune::v0::primitives
#endif
