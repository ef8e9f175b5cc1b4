// SPDX-License-Identifier: Apache-2.0
// store_in: the memory of a stage's buffer and, in shared memory, the number of unused elements after each row, so that
// threads that read down a column use different banks. Without this step there is one scratch buffer per call if the
// stage is computed once, and one per thread if it is inside of a loop whose iterations run in parallel.
//
// .store_in(ir::memory::registers) prints
//
//   for E.i < 6
//     alloc P f32 (1, 8) local
//     for P.j < 8
//       P[0, P.j] = A[E.i, P.j] + 1.0
//     for E.j < 8
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
// →
//   for E.i < 6
//     alloc P f32 (1, 8) registers
//     for P.j < 8
//       P[0, P.j] = A[E.i, P.j] + 1.0
//     for E.j < 8
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class store_in_call {
 public:
  /// Sets the memory space of the current stage's buffer; in shared memory, each row is followed by `padding` unused
  /// elements.
  [[nodiscard]] auto store_in(ir::memory where, std::int64_t padding = 0) const {
    std::vector<knob_value> values{literal(static_cast<std::int64_t>(where))};
    if (padding != 0) values.push_back(literal(padding));
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::store_in, {}, {}, std::move(values));
  }
};

template <>
struct rules<primitive::store_in> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& /*st*/, step& s) {
    s.values = {literal(static_cast<std::int64_t>(random.one_of(random.memories())))};
    if (random.chance(0.3)) s.values.push_back(literal(random.pick(5)));
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::store_in>::arguments(step const& s, cpp_names& /*names*/) {
  auto const padding = s.values.size() > 1 ? s.values[1].literal : 0;
  return "ttune::ir::memory::" + cpp_names::memory(s.values[0].literal) +
         (padding != 0 ? ", " + std::to_string(padding) : "");
}

void rules<primitive::store_in>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (st.output) refuse(s, s.stage, "is an output; it lives where the caller puts it");
  st.where = static_cast<ir::memory>(s.values.at(0).literal);
  if (st.where == ir::memory::operand) refuse(s, s.stage, "is no operand: choose another memory");
  st.where_given = true;
  st.padding = literal(0);
  if (s.values.size() < 2) return;
  constexpr std::int64_t most = 1024;
  if (st.where != ir::memory::shared) refuse(s, s.stage, "rows are padded in shared memory only");
  if (s.values[1].is_literal() && (s.values[1].literal < 0 || s.values[1].literal > most))
    refuse(s, s.stage, "rows are padded by 0 to " + std::to_string(most) + " elements");
  st.padding = s.values[1];
}

}}}  // namespace ttune::v0::primitives
#endif
