// SPDX-License-Identifier: Apache-2.0
// unroll: the code of the body is repeated for each iteration, in order. With a boolean knob, choice 0 leaves it a
// plain loop.
//
//   for i                →   unroll i
//
// .unroll(j) prints
//
//   for D.i < 6
//     for D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
// →
//   for D.i < 6
//     unroll D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
#pragma once

#include "ttune/schedule/choices.hpp"
#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class unroll_call {
 public:
  /// The code of the body is repeated for each iteration, in order: `unroll(ii)`, `unroll(maybe("u"), ii)`.
  template <class... Loops>
  [[nodiscard]] auto unroll(Loops const&... loops) const {
    return typed::run_loops_as(static_cast<Schedule const&>(*this), primitive::unroll, loops...);
  }
};

template <>
struct rules<primitive::unroll> : loop_kind_rules {
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/loop_kind.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

void rules<primitive::unroll>::apply(plan& p, step const& s) { set_loop_kind(p, s, ir::loop_kind::unrolled); }

}}}  // namespace ttune::v0::primitives
#endif
