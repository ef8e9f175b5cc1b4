// SPDX-License-Identifier: Apache-2.0
// annotate: a note about a loop, which is part of the space and its key. Emitters and features find it in the steps.
//
// .annotate(i, "hot", 2) prints
//
//   for D.i < 6
//     for D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
// →
//   for D.i < 6
//     for D.j < 8
//       D[D.i, D.j] = A[D.i, D.j] * 2.0
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class annotate_call {
 public:
  /// Adds a note about a loop, which is kept with the schedule.
  template <class Loop>
  [[nodiscard]] auto annotate(Loop const& loop, std::string const& note, std::int64_t value) const {
    return typed::with_loops(
        static_cast<Schedule const&>(*this),
        [&](auto& builder, auto names) {
          builder.add(primitive::annotate, std::move(names), {note}, {literal(value)});
        },
        loop);
  }
};

template <>
struct rules<primitive::annotate> : default_rules {
  static constexpr bool in_derived_spaces = false;
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.loops = {random.some_loop(st)};
    s.results = {"note"};
    s.values = {literal(random.pick(8))};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::annotate>::arguments(step const& s, cpp_names& names) {
  return names.loop(s.loops[0]) + ", " + names.quoted(s.results[0]) + ", " + names.number(s.values[0]);
}

/// Adds a note to a loop, which is part of the space and its key; emitters and features can find it in the steps.
void rules<primitive::annotate>::apply(plan& p, step const& s) {
  if (s.loops.size() != 1 || s.results.size() != 1 || s.values.size() != 1)
    refuse(s, listed(s.loops), "takes one loop, the name of the note and its value");
  (void)leaf(stage_of(p, s), s, s.loops[0]);
}

}}}  // namespace ttune::v0::primitives
#endif
