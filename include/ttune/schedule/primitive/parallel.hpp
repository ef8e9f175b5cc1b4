// SPDX-License-Identifier: Apache-2.0
// parallel: the threads of the executor share the iterations of a loop. With a boolean knob, choice 0 leaves it a plain
// loop.
//
//   for i                →   parallel i
//
// .parallel(i) prints
//
//   for D.i < 6
//     for D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
// →
//   parallel D.i < 6
//     for D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
#pragma once

#include "ttune/schedule/choices.hpp"
#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class parallel_call {
 public:
  /// The threads of the executor share the iterations of loops: `parallel(io)`, `parallel(maybe("p"), io)`.
  template <class... Loops>
  [[nodiscard]] auto parallel(Loops const&... loops) const {
    return typed::run_loops_as(static_cast<Schedule const&>(*this), primitive::parallel, loops...);
  }
};

template <>
struct rules<primitive::parallel> : loop_kind_rules {
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/loop_kind.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

void rules<primitive::parallel>::apply(plan& p, step const& s) { set_loop_kind(p, s, ir::loop_kind::parallel); }

}}}  // namespace ttune::v0::primitives
#endif
