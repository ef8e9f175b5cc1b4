// SPDX-License-Identifier: Apache-2.0
// double_buffer: a stage is computed one iteration of the loop around it ahead, into the other one of two buffers, so
// that fetching the next part overlaps with the use of this one.
//
//   for k in 0..K                    P[0] = … at 0
//     P = … at k             →       for k in 0..K
//     … P                              if k + 1 < K: P[(k + 1) % 2] = … at k + 1
//                                      … P[k % 2]                 double_buffer(P)
//
// In shared memory, one barrier per iteration is then enough.
//
// With N buffers the stage is computed N - 1 iterations ahead. A copy of an operand into shared memory may take all
// that time (cp.async of NVIDIA's GPUs): the barrier of an iteration ends a batch of copies and waits for all but the
// last N - 2 batches. If a knob chooses 1, the stage is computed where it is read.
//
// A part may be held for an iteration after its own: the stage is then computed N - 2 iterations ahead, and products of
// four warps that read the part run on while the next ones begin (lowering/overlap_products.hpp).
//
// .double_buffer() prints
//
//   for E.i < 6
//     alloc P f32 (1, 8) local
//     for P.j < 8
//       P[0, P.j] = A[E.i, P.j] + 1.0
//     for E.j < 8
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
// →
//   alloc P f32 (2, 1, 8) local
//   for P.j < 8
//     P[0, 0, P.j] = A[0, P.j] + 1.0
//   for E.i < 6
//     if E.i + 1 < 6
//       for P.j < 8
//         P[(E.i + 1) % 2, 0, P.j] = A[E.i + 1, P.j] + 1.0
//     for E.j < 8
//       E[E.i, E.j] = P[E.i % 2, 0, E.j] * P[E.i % 2, 0, E.j]
#pragma once

#include <string>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class double_buffer_call {
 public:
  /// Computes the current stage ahead in the surrounding loop, by as many iterations as there are additional buffers.
  [[nodiscard]] auto double_buffer(std::int64_t buffers = 2) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::double_buffer, {}, {}, {literal(buffers)});
  }
  /// The same, by `held` iterations less: a part stays unchanged for `held` iterations, 0 or 1, after its own.
  [[nodiscard]] auto double_buffer(std::int64_t buffers, std::int64_t held) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::double_buffer, {}, {},
                            {literal(buffers), literal(held)});
  }
};

template <>
struct rules<primitive::double_buffer> : default_rules {
  static constexpr bool on_cpus = false;
  template <class Draw>
  static void draw(Draw& random, stage_plan const& /*st*/, step& s) {
    if (random.chance(0.3)) s.values = {{random.add_knob(one_of_knob(random.fresh("buffers"), {1, 2, 3, 4})), 0, 0}};
    else if (random.chance(0.5)) s.values = {literal(2 + random.pick(3))};
    if (!s.values.empty() && random.chance(0.3)) s.values.push_back(literal(1));
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
  static void check(plan& p);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::double_buffer>::arguments(step const& s, cpp_names& names) {
  if (s.values.size() > 1) return names.number(s.values[0]) + ", " + names.number(s.values[1]);
  return s.values.empty() || s.values[0].literal == 2 ? "" : names.number(s.values[0]);
}

inline constexpr std::int64_t max_buffers = 8;

void rules<primitive::double_buffer>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (st.doubled) refuse(s, s.stage, "is double buffered already");
  if (st.output) refuse(s, s.stage, "is an output; there is one of it");
  if (s.values.size() > 2 ||
      (!s.values.empty() && s.values[0].is_literal() && (s.values[0].literal < 1 || s.values[0].literal > max_buffers)))
    refuse(s, s.stage, "takes the number of buffers, 1 to " + std::to_string(max_buffers));
  if (s.values.size() > 1 && (!s.values[1].is_literal() || s.values[1].literal < 0 || s.values[1].literal > 1))
    refuse(s, s.stage, "can hold a part for 0 iterations after its own, or for 1");
  st.held = s.values.size() > 1 ? static_cast<std::int32_t>(s.values[1].literal) : 0;
  st.doubled = s.values.empty() || !s.values[0].is_literal() || s.values[0].literal > 1;
  if (!s.values.empty()) st.buffers = s.values[0];
}

/// Checks that a stage computed ahead reads nothing that is computed in the same loop.
void rules<primitive::double_buffer>::check(plan& p) {
  for (auto const& st : p.stages) {
    if (!st.doubled) continue;
    auto const say = [&](std::string const& sentence) {
      throw schedule_error("double_buffer", st.definition->name, sentence);
    };
    if (st.places.size() != 1 || st.places[0].kind != place_plan::sort::inside)
      say("must be computed inside of one loop: compute_at first");
    auto const& at = p.stages[static_cast<std::size_t>(st.places[0].stage)];
    auto const& l = at.loops[static_cast<std::size_t>(st.places[0].loop)];
    if (l.kind != ir::loop_kind::serial || !l.group.empty() || l.fused)
      say("is computed in loop " + (l.group.empty() ? l.name : l.group) +
          ", which is not a plain one: there is no next iteration");
    for (auto const& a : st.accesses)
      if (!a.write && a.producer >= 0)
        for (auto const& place : p.stages[static_cast<std::size_t>(a.producer)].places)
          if (place.kind == place_plan::sort::inside)
            say("reads " + p.stages[static_cast<std::size_t>(a.producer)].definition->name +
                ", which is computed inside of a loop: only what is there before the loop can be read ahead");
  }
}

}}}  // namespace ttune::v0::primitives
#endif
