// SPDX-License-Identifier: Apache-2.0
// carry: each result of a scan (arith/scan_form.hpp) along an axis continues the one before, so that it takes one term.
//
//   for t < N                                   last = 0
//     S[t] = 0                                  for t < N
//     for k < N: if k <= t: S[t] += e(k)    →     last += e(t)
//                                                 S[t] = last                                        carry(t)
//
// If the last results are too many for registers, as those of a row, they are read from S[t - 1]. The loops over t run
// in their order, outside of those over k. Inside of the loop of its reader along t, a scan computes the part that is
// read in an iteration, and continues the last one (../../loop_nest/continued.hpp); inside of other loops, all of t.
// Halide writes scans as updates over a reduction domain (Ragan-Kelley et al., Halide, PLDI 2013, section 2).
//
// .carry(t) prints
//
//   for S.i < 6
//     for S.t < 8
//       S[S.i, S.t] = 0.0
//       for S.k < 8
//         if S.k <= S.t
//           S[S.i, S.t] += A[S.i, S.k] * 2.0
// →
//   for S.i < 6
//     alloc S.last f32 (1, 1, 1) registers
//     S.last[0, 0, 0] = 0.0
//     for S.t < 8
//       S.last[0, 0, 0] += A[S.i, S.t] * 2.0
//       S[S.i, S.t] = S.last[0, 0, 0]
#pragma once

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class carry_call {
 public:
  /// Results of the current stage along the axis `over` continue each other. The axis is not split yet.
  template <class Over>
  [[nodiscard]] auto carry(Over const& over) const {
    return typed::with_loops(
        static_cast<Schedule const&>(*this),
        [](auto& builder, auto names) { builder.add(primitive::carry, std::move(names)); }, over);
  }
};

template <>
struct rules<primitive::carry> : default_rules {
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names) { return names.loop(s.loops[0]); }
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    auto const& axes = st.definition->axes;
    s.loops = {axes.empty() ? "none" : random.one_of(axes).name};
  }
  static void apply(plan& p, step const& s);
  static void check(plan& p);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/arith/scan_form.hpp"
#include "ttune/schedule/primitive/leaves.hpp"
#include "ttune/schedule/primitive/loop_kind.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

namespace detail {

/// Has an index move with axis `to`, plus `offset`, where it moves with axis `from`.
inline void move_axis(index_plan& index, std::size_t from, std::size_t to, std::int64_t offset) {
  index.constant += index.coefficient[from] * offset;
  index.coefficient[to] += std::exchange(index.coefficient[from], 0);
  if (index.moves.empty()) return;
  index.moves[to] = index.moves[to] || index.moves[from];
  index.moves[from] = false;
  if (index.moves[to]) index.coefficient[to] = 0;
}

}  // namespace detail

void rules<primitive::carry>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  auto const form = arith::scan_form_of(*st.definition);
  if (st.carried >= 0) refuse(s, s.stage, "carries its results already");
  if (st.scattered) refuse(s, s.stage, "is scattered: a term goes to one result only");
  if (!form || st.definition->axes[form->free].name != s.loops.at(0))
    refuse(s, s.loops.at(0),
           "is no axis of a scan: " + s.stage + " needs one reduced axis k with a condition k <= " + s.loops[0] +
               ", and terms that do not use " + s.loops[0]);
  auto const reduced = st.definition->axes.size();
  if (st.axis_size(reduced) < st.axis_size(form->free)) refuse(s, s.loops[0], "is longer than the reduced axis");
  st.carried = static_cast<std::int32_t>(form->free);
  st.carried_offset = form->offset;
  for (auto& a : st.accesses)
    for (auto& index : a.indices) detail::move_axis(index, reduced, form->free, form->offset);
}

/// Checks that the results before an element are there: its loops run one after the other, in the order of the axis.
void rules<primitive::carry>::check(plan& p) {
  for (auto const& st : p.stages) {
    if (st.carried < 0) continue;
    auto const say = [&](std::string const& culprit, std::string const& sentence) {
      throw schedule_error("carry", culprit, sentence);
    };
    std::vector<std::int32_t> along;
    append_leaves(st, st.carried, along);
    std::vector<std::int32_t> found;
    bool reduced = false;
    for (auto const id : st.order) {
      auto const& l = st.loops[static_cast<std::size_t>(id)];
      if (l.kind == ir::loop_kind::tensorized) say(l.name, "is tensorized: one instruction would sum several terms");
      reduced = reduced || is_reduction_axis(st, l.axis);
      if (l.axis != st.carried && !is_reduction_axis(st, l.axis)) continue;
      if (is_permuted(st, id)) say(l.name, "is moved by a knob: results need the one before");
      if (l.axis != st.carried) continue;
      found.push_back(id);
      if (reduced) say(l.name, "is inside of the reduced loop: reorder them");
      if (l.fused || !l.group.empty()) say(l.name, "is fused with another loop: results need the one before");
      if (l.kind != ir::loop_kind::serial && l.kind != ir::loop_kind::unrolled)
        say(l.name, "runs at once, but each result needs the one before: use split_scan");
    }
    if (found != along)
      say(st.axis_name(static_cast<std::size_t>(st.carried)), "runs out of its order: reorder its parts");
  }
}

}}}  // namespace ttune::v0::primitives
#endif
