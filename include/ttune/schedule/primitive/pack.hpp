// SPDX-License-Identifier: Apache-2.0
// pack: the buffer of a stage is laid out in the order in which its loops write it. The copy of a constant is made
// once, before all calls.
//
// schedule(M).cache_read(W, "Wp").in("Wp").split(j, 4, io, ii).reorder(io, k, ii).pack() prints
//
//   prepare:
//   for Wp.io < 3
//     for Wp.k < 8
//       for Wp.ii < 4
//         if Wp.io * 4 + Wp.ii < 10
//           Wp[Wp.k, Wp.io * 4 + Wp.ii] = W[Wp.k, Wp.io * 4 + Wp.ii]
//   body:
//   for M.i < 6
//     for M.j < 10
//       M[M.i, M.j] = 0.0
//       for M.k < 8
//         M[M.i, M.j] += A[M.i, M.k] * Wp[M.k, M.j]
// →
//   prepare:
//   for Wp.io < 3
//     for Wp.k < 8
//       for Wp.ii < 4
//         if Wp.io * 4 + Wp.ii < 10
//           Wp[Wp.io, Wp.k, Wp.ii] = W[Wp.k, Wp.io * 4 + Wp.ii]
//   body:
//   for M.i < 6
//     for M.j < 10
//       M[M.i, M.j] = 0.0
//       for M.k < 8
//         M[M.i, M.j] += A[M.i, M.k] * Wp[M.j / 4, M.k, M.j % 4]
#pragma once

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class pack_call {
 public:
  /// Lays out the buffer of the current stage in the order of its loops.
  [[nodiscard]] auto pack() const { return typed::with_step(static_cast<Schedule const&>(*this), primitive::pack); }
};

template <>
struct rules<primitive::pack> : default_rules {
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

void rules<primitive::pack>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (st.output) refuse(s, s.stage, "is an output; its layout is the caller's");
  st.packed = true;
}

}}}  // namespace ttune::v0::primitives
#endif
