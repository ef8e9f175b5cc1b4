// SPDX-License-Identifier: Apache-2.0
// vectorize: the iterations of a loop become lanes, one vector register after the other. With a boolean knob, choice 0
// leaves it a plain loop. More than 2048 lanes run in blocks (lowering/split_long_loops.hpp).
//
//   for i                →   vectorize i
//
// .vectorize(j) prints
//
//   for D.i < 6
//     for D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
// →
//   for D.i < 6
//     vectorize D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
#pragma once

#include "ttune/schedule/choices.hpp"
#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class vectorize_call {
 public:
  /// Iterations of a loop become vector lanes: `vectorize(ji)`, `vectorize(maybe("v"), ji)`.
  template <class... Loops>
  [[nodiscard]] auto vectorize(Loops const&... loops) const {
    return typed::run_loops_as(static_cast<Schedule const&>(*this), primitive::vectorize, loops...);
  }
};

template <>
struct rules<primitive::vectorize> : loop_kind_rules {
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/loop_kind.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

void rules<primitive::vectorize>::apply(plan& p, step const& s) { set_loop_kind(p, s, ir::loop_kind::vectorized); }

}}}  // namespace ttune::v0::primitives
#endif
