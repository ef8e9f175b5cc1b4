// SPDX-License-Identifier: Apache-2.0
// slide: a stage computed inside of a loop of its reader keeps the rows that earlier iterations have computed. Its
// buffer, a ring of rows, lives as long as the loop; additional iterations before the first one compute the first
// rows.
//
//   for i in 0..I                          for i in -2..I
//     P[0..3] = … at i..i + 3       →        P[(i + 2) % 4] = … at i + 2
//     C[i] = … P[0..3]                       if i >= 0: C[i] = … P[i % 4 … (i + 2) % 4]           slide(P)
//
// Halide does the same if store_at is outside of compute_at: "sliding window optimization and storage folding"
// (Ragan-Kelley et al., Halide, PLDI 2013, section 4.3). Stages that read each other slide together; each starts as
// many iterations earlier as its reader needs. If rows do not overlap, or do not move by a constant, the stage is
// computed as without this step.
//
// .compute_at(N, i).slide() prints
//
//   for N.i < 4
//     alloc P f32 (3, 8) local
//     for P.i < 3
//       for P.j < 8
//         P[P.i, P.j] = A[N.i + P.i, P.j] + 1.0
//     for N.j < 8
//       N[N.i, N.j] = P[0, N.j] + P[1, N.j] + P[2, N.j]
// →
//   alloc P f32 (4, 8) local
//   for N.i in [-2, 4)
//     for P.j < 8
//       P[(N.i + 2) % 4, P.j] = A[N.i + 2, P.j] + 1.0
//     if 0 <= N.i
//       for N.j < 8
//         N[N.i, N.j] = P[N.i, N.j] + P[(N.i + 1) % 4, N.j] + P[(N.i + 2) % 4, N.j]
#pragma once

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class slide_call {
 public:
  /// Each iteration of the loop around the current stage computes only the rows that no earlier one has computed; a
  /// ring of rows keeps the others.
  [[nodiscard]] auto slide() const { return typed::with_step(static_cast<Schedule const&>(*this), primitive::slide); }
};

template <>
struct rules<primitive::slide> : default_rules {
  static void apply(plan& p, step const& s);
  static void check(plan& p);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

void rules<primitive::slide>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (st.slides) refuse(s, s.stage, "slides already");
  st.slides = true;
}

/// Checks that a ring of rows is private memory of one thread, filled in the order of a plain loop.
void rules<primitive::slide>::check(plan& p) {
  for (auto const& st : p.stages) {
    if (!st.slides) continue;
    auto const say = [&](std::string const& sentence) { throw schedule_error("slide", st.definition->name, sentence); };
    if (std::none_of(st.places.begin(), st.places.end(),
                     [](place_plan const& place) { return place.kind == place_plan::sort::inside; }))
      say("must be computed inside of a loop: compute_at first");
    if (st.output) say("is an output: its rows are not kept in a ring");
    if (st.packed) say("is packed: a ring of rows lies in the order of its axes");
    if (st.where_given && (st.where == ir::memory::registers || st.where == ir::memory::shared))
      say("lives in registers or in shared memory: a ring of rows needs memory of one thread");
    for (auto const& other : p.stages) {
      if (other.doubled) say("stands beside " + other.definition->name + ", which is double buffered");
      for (auto const& l : other.loops)
        if (l.kind >= ir::loop_kind::block_x) say("is for CPUs: loop " + l.name + " runs over blocks or threads");
    }
  }
}

}}}  // namespace ttune::v0::primitives
#endif
