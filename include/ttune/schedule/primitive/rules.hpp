// SPDX-License-Identifier: Apache-2.0
// The content of the header of a primitive, below its page, which shows what it does:
//
//   NAME_call<Schedule>       its call of the typed schedule, with loops that the compiler checks
//   rules<primitive::NAME>    apply        changes the program (effect `program`), or the loops, places and buffers
//                                          of a plan; throws schedule_error with the culprit and the remedy
//                             check        is called once after all steps of a plan, in the order of list.hpp
//                             lay_out      changes the extents of a buffer when a nest is lowered, for steps that
//                                          `apply` put into stage_plan::layout
//                             arguments    prints the arguments of the call in C++
//                             draw         draws arguments for the random programs of the tests, which may not fit
//
// All but `apply` may be missing. Bodies are compiled where TTUNE_COMPILES_PRIMITIVES is 1: in the file with all
// bodies, or by all.inl.hpp.
#pragma once

#include <string>

#include "ttune/schedule/primitive/cpp_names.hpp"
#include "ttune/schedule/stage_plan.hpp"
#include "ttune/schedule/typed_step.hpp"
#include "ttune/space/factors.hpp"

#if defined(TTUNE_IMPLEMENTATION) || defined(TTUNE_PRIMITIVE_BODIES)
#define TTUNE_COMPILES_PRIMITIVES 1
#else
#define TTUNE_COMPILES_PRIMITIVES 0
#endif

namespace ttune { inline namespace v0 { namespace primitives {

/// The first base of all calls; it has none.
class no_call {};

template <primitive Which>
struct rules;

struct default_rules {
  /// Random programs for CPUs try the primitive.
  static constexpr bool on_cpus = true;
  /// Spaces derived for CPUs contain it.
  static constexpr bool in_derived_spaces = true;

  [[nodiscard]] static std::string arguments(step const&, cpp_names&) { return {}; }
  template <class Draw>
  static void draw(Draw&, stage_plan const&, step&) {}
};

/// The common base of parallel, vectorize and unroll: they take loops, and a boolean knob that may leave them serial.
struct loop_kind_rules : default_rules {
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names) { return names.loops(s.loops); }
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.loops = {random.some_loop(st)};
    if (random.chance(0.3)) s.values = {{random.add_knob(boolean_knob(random.fresh("maybe"))), 0, 0}};
  }
};

}}}  // namespace ttune::v0::primitives
