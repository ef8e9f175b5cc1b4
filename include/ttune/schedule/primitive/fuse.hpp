// SPDX-License-Identifier: Apache-2.0
// fuse: adjacent loops run as one.
//
//   for i in 0..A                    for f in 0..A * B
//     for j in 0..B            →       i = f / B, j = f % B
//       S[i, j]                        S[i, j]
//
// It gives a parallel loop enough iterations. A fused loop cannot be split or reordered any more.
//
// .fuse(i, j, ij) prints
//
//   for D.i < 6
//     for D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
// →
//   for D.ij < 48
//     let D.i = D.ij / 8 in [0, 6)
//     let D.j = D.ij % 8 in [0, 8)
//     D[D.i, D.j] = A[D.i, D.j] * 2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class fuse_call {
 public:
  /// Fuses adjacent loops, given outermost first, into one with the last name: `fuse(io, jo, tasks)`.
  template <class... Loops>
  [[nodiscard]] auto fuse(Loops const&... loops) const {
    static_assert(sizeof...(Loops) >= 3,
                  "ttune: fuse takes two or more loops and the name of the one that they become");
    return typed::join_loops_of(
        static_cast<Schedule const&>(*this),
        [](auto& builder, auto names, std::string result) { builder.fuse(std::move(names), std::move(result)); },
        std::make_index_sequence<sizeof...(Loops) - 1>{}, loops...);
  }
};

template <>
struct rules<primitive::fuse> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.results = {random.fresh("f")};
    auto const names = random.loops_of(st);
    if (names.empty()) return;
    auto const from = static_cast<std::size_t>(random.pick(static_cast<std::int64_t>(names.size())));
    auto const end = std::min(names.size(), from + 2 + static_cast<std::size_t>(random.pick(2)));
    for (auto i = from; i < end; ++i) s.loops.push_back(names[i]);
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::fuse>::arguments(step const& s, cpp_names& names) {
  auto const loops = names.loops(s.loops);
  return loops + ", " + names.loop(s.results[0]);
}

void rules<primitive::fuse>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (s.loops.size() < 2 || s.results.size() != 1) refuse(s, listed(s.loops), "takes two or more loops and one name");
  require_new_name(st, s, s.results[0]);
  auto const first = position(st, leaf(st, s, s.loops[0]));
  for (std::size_t i = 0; i < s.loops.size(); ++i) {
    auto const id = leaf(st, s, s.loops[i]);
    if (position(st, id) != first + i)
      refuse(s, s.loops[i], "is not directly inside " + s.loops[i ? i - 1 : 0] + ": reorder first");
    if (is_permuted(st, id))
      refuse(s, s.loops[i], "stands where a permutation knob puts it: fuse before that reorder, or leave it out there");
    if (st.loops[static_cast<std::size_t>(id)].kind != ir::loop_kind::serial)
      refuse(s, s.loops[i], "is not a plain loop: fuse before parallel, vectorize or unroll");
    if (is_reduction_axis(st, st.loops[static_cast<std::size_t>(id)].axis) !=
        is_reduction_axis(st, st.loops[static_cast<std::size_t>(leaf(st, s, s.loops[0]))].axis))
      refuse(s, s.loops[i], "a reduced and a free axis cannot be fused");
  }
  for (std::size_t i = 0; i + 1 < s.loops.size(); ++i)
    st.loops[static_cast<std::size_t>(st.order[first + i])].fused = true;
  st.loops[static_cast<std::size_t>(st.order[first + s.loops.size() - 1])].group = s.results[0];
}

}}}  // namespace ttune::v0::primitives
#endif
