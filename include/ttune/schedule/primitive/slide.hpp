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
#pragma once

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

inline void slide(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (st.slides) refuse(s, s.stage, "slides already");
  st.slides = true;
}

/// Checks that a ring of rows is private memory of one thread, filled in the order of a plain loop.
inline void check_sliding(plan const& p) {
  for (auto const& st : p.stages) {
    if (!st.slides) continue;
    auto const say = [&](std::string const& sentence) { throw schedule_error("slide", st.definition->name, sentence); };
    if (std::none_of(st.places.begin(), st.places.end(),
                     [](place_plan const& place) { return place.kind == place_plan::sort::inside; }))
      say("must be computed inside of a loop: compute_at first");
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
