// SPDX-License-Identifier: Apache-2.0
// reorder: the named loops exchange their places, so that they have the order given.
//
//   for i                            for j
//     for j                    →       for k
//       for k                            for i
//         S                                S                 reorder(j, k, i)
//
// With a permutation knob, the order given is choice (0, 1, 2, …). The places of such loops are unknown until the knob
// is chosen, so no later reorder may name one of them.
//
// .reorder(k, i) prints
//
//   for C.i < 6
//     for C.j < 10
//       C[C.i, C.j] = 0.0
//       for C.k < 8
//         C[C.i, C.j] += A[C.i, C.k] * B[C.k, C.j]
// →
//   for C.j < 10
//     for C.i < 6
//       C[C.i, C.j] = 0.0
//   for C.k < 8
//     for C.j < 10
//       for C.i < 6
//         C[C.i, C.j] += A[C.i, C.k] * B[C.k, C.j]
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "ttune/schedule/choices.hpp"
#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class reorder_call {
 public:
  /// Reorders loops: they take the positions that they occupy together, in the given order.
  template <class... Loops>
  [[nodiscard]] auto reorder(Loops const&... loops) const {
    return typed::with_loops(
        static_cast<Schedule const&>(*this),
        [](auto& builder, auto names) { builder.add(primitive::reorder, std::move(names)); }, loops...);
  }
  /// Leaves the order of loops to a knob: `reorder(permutation("order"), io, jo)`.
  template <class... Loops>
  [[nodiscard]] auto reorder(order_choice const& choice, Loops const&... loops) const {
    return typed::with_loops(
        static_cast<Schedule const&>(*this),
        [&](auto& builder, auto names) { builder.reorder(choice, std::move(names)); }, loops...);
  }
};

template <>
struct rules<primitive::reorder> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    auto names = random.loops_of(st);
    for (auto i = names.size(); i > 1; --i)
      std::swap(names[i - 1], names[static_cast<std::size_t>(random.pick(static_cast<std::int64_t>(i)))]);
    names.resize(std::min<std::size_t>(names.size(), 1 + static_cast<std::size_t>(random.pick(4))));
    s.loops = names;
    if (!names.empty() && random.chance(0.3))
      s.values = {
          {random.add_knob(permutation_knob(random.fresh("order"), static_cast<std::int32_t>(names.size()))), 0, 0}};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
  static void check(plan& p);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::reorder>::arguments(step const& s, cpp_names& names) { return names.loops(s.loops); }

void rules<primitive::reorder>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  std::vector<std::int32_t> wanted;
  std::vector<std::int32_t> places;
  for (auto const& name : s.loops) {
    auto const id = leaf(st, s, name);
    if (!st.loops[static_cast<std::size_t>(id)].group.empty())
      refuse(s, name, "this loop is fused of others: reorder them first");
    if (!s.values.empty() && st.loops[static_cast<std::size_t>(id)].kind >= ir::loop_kind::block_x)
      refuse(s, name, "this loop is bound to blocks or threads: a permutation knob leaves it out");
    if (is_permuted(st, id))
      refuse(s, name, "stands where a permutation knob puts it: reorder before that, or leave it out");
    if (std::find(wanted.begin(), wanted.end(), id) != wanted.end()) refuse(s, name, "named twice");
    wanted.push_back(id);
    places.push_back(static_cast<std::int32_t>(position(st, id)));
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) st.order[static_cast<std::size_t>(places[i])] = wanted[i];
  if (s.values.empty()) return;
  if (!st.permuted.empty()) refuse(s, st.definition->name, "this stage has a permutation knob already; one is enough");
  st.permuted = places;
  st.permutation = s.values[0];
}

/// Collects the parts of a split loop, from the outermost to the innermost.
inline void collect_leaves(stage_plan const& st, std::int32_t loop, std::vector<std::int32_t>& leaves) {
  auto const& l = st.loops[static_cast<std::size_t>(loop)];
  if (l.children.empty()) leaves.push_back(loop);
  for (auto const c : l.children) collect_leaves(st, c, leaves);
}

/// Checks that terms of a reduction that is not associative and commutative keep the order of its axes, parts of an
/// axis outermost first.
inline void check_order(stage_plan const& st) {
  auto const& reduction = st.definition->reduction;
  if (!st.definition->reduces() || (reduction.associative && reduction.commutative)) return;
  auto const say = [&](std::int32_t loop) {
    throw schedule_error("reorder", st.loops[static_cast<std::size_t>(loop)].name,
                         "the reduction of " + st.definition->name +
                             " is not declared associative and commutative: its terms keep their order");
  };
  auto const reduced = [&](std::int32_t loop) {
    auto const axis = st.loops[static_cast<std::size_t>(loop)].axis;
    return is_reduction_axis(st, axis) && st.axis_size(static_cast<std::size_t>(axis)) != 1;
  };
  std::vector<std::int32_t> in_order;
  for (auto a = st.definition->axes.size(); a < st.axis_count(); ++a)
    if (st.axis_size(a) != 1) collect_leaves(st, static_cast<std::int32_t>(a), in_order);
  auto next = in_order.begin();
  for (auto const id : st.order)
    if (reduced(id) && id != *next++) say(id);
  auto const moves = [&](std::int32_t at) { return reduced(st.order[static_cast<std::size_t>(at)]); };
  if (std::none_of(st.permuted.begin(), st.permuted.end(), moves)) return;
  int passed = 0;  // includes those that keep their places between the others
  for (auto at = st.permuted.front(); at <= st.permuted.back(); ++at)
    if (moves(at) && ++passed == 2) say(st.order[static_cast<std::size_t>(at)]);
}

void rules<primitive::reorder>::check(plan& p) {
  for (auto const& st : p.stages) check_order(st);
}

}}}  // namespace ttune::v0::primitives
#endif
