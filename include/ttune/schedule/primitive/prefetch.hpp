// SPDX-License-Identifier: Apache-2.0
// prefetch: each iteration of a loop prefetches the cache lines of a source that are read some iterations
// later.
//
//   for k in 0..K                        for k in 0..K
//     vectorize j < 32           →         prefetch B[k + 16, 0], B[k + 16, 16]
//       … B[k, j]                          vectorize j < 32
//                                            … B[k, j]              prefetch(B, k, 16)
//
// Useful for rows that are pages apart, since a processor's own prefetchers stop at the end of a page. It is a hint: it
// changes no result, and may name places after the end of the source. If a knob chooses 0, nothing is prefetched.
// Several operands of a stage are prefetched in one loop, by one distance.
//
// .reorder(i, k, j).prefetch(B, k, 2) prints
//
//   for C.i < 6
//     for C.j < 10
//       C[C.i, C.j] = 0.0
//       for C.k < 8
//         C[C.i, C.j] += A[C.i, C.k] * B[C.k, C.j]
// →
//   for C.i < 6
//     for C.j < 10
//       C[C.i, C.j] = 0.0
//     for C.k < 8
//       prefetch B[C.k + 2, 0]
//       for C.j < 10
//         C[C.i, C.j] += A[C.i, C.k] * B[C.k, C.j]
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class prefetch_call {
 public:
  /// In each iteration of a loop of the current stage, prefetches the cache lines of an operand that are read
  /// `iterations` iterations later.
  template <class Source, class Loop>
  [[nodiscard]] auto prefetch(Source const& source, Loop const& loop, std::int64_t iterations) const {
    return typed::with_loops(
        static_cast<Schedule const&>(*this),
        [&](auto& builder, auto names) {
          builder.add(primitive::prefetch, std::move(names), {typed::source_text(source)}, {literal(iterations)});
        },
        loop);
  }
};

/// Maximum of lines that one iteration may prefetch: processors have room for a few dozen at a time.
inline constexpr std::size_t max_prefetched_lines = 32;

template <>
struct rules<primitive::prefetch> : default_rules {
  static constexpr bool in_derived_spaces = false;
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.results = {random.some_source(st)};
    if (auto const& other = st.prefetched; !other.operands.empty() && random.chance(0.8)) {
      s.loops = {st.loops[static_cast<std::size_t>(other.loop)].name};
      s.values = {other.distance};
      return;
    }
    s.loops = {random.some_loop(st)};
    s.values = {random.chance(0.3) ? knob_value{random.add_knob(one_of_knob(random.fresh("ahead"), {0, 1, 5})), 0, 0}
                                   : literal(1 + random.pick(8))};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
  static void check(plan& p);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::prefetch>::arguments(step const& s, cpp_names& names) {
  return names.quoted(s.results[0]) + ", " + names.loop(s.loops[0]) + ", " + names.number(s.values[0]);
}

/// Returns the index of `source` among the operands that a stage reads; -1 if it reads none of that name, or a table.
inline std::int32_t read_operand(plan const& p, stage_plan const& st, std::string const& source) {
  for (auto const& a : st.accesses) {
    if (a.write || a.operand < 0) continue;
    auto const& read = *p.program->inputs[static_cast<std::size_t>(a.operand)];
    if (read.name == source && read.role != ir::tensor_role::table) return a.operand;
  }
  return -1;
}

void rules<primitive::prefetch>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (s.loops.size() != 1 || s.results.size() != 1 || s.values.size() != 1)
    refuse(s, listed(s.loops), "takes an operand, a loop and the number of iterations ahead");
  if (s.values[0].is_literal() && s.values[0].literal < 0)
    refuse(s, s.loops[0], "looks ahead: the number of iterations is not negative");
  auto const operand = read_operand(p, st, s.results[0]);
  if (operand < 0) refuse(s, s.results[0], "stage " + s.stage + " reads no operand of this name");
  auto& all = st.prefetched;
  if (std::find(all.operands.begin(), all.operands.end(), operand) != all.operands.end())
    refuse(s, s.results[0], "stage " + s.stage + " prefetches this operand already");
  auto const loop = leaf(st, s, s.loops[0]);
  if (!all.operands.empty() && (loop != all.loop || s.values[0] != all.distance))
    refuse(s, s.loops[0], "the operands of stage " + s.stage + " are prefetched in one loop, by one distance");
  all.operands.push_back(operand);
  all.loop = loop, all.distance = s.values[0];
}

/// Checks after all steps that the loop has consecutive iterations.
void rules<primitive::prefetch>::check(plan& p) {
  for (auto const& st : p.stages) {
    if (st.prefetched.operands.empty()) continue;
    auto const& l = st.loops[static_cast<std::size_t>(st.prefetched.loop)];
    auto const say = [&](std::string const& sentence) { throw schedule_error("prefetch", l.name, sentence); };
    if (std::find(st.order.begin(), st.order.end(), st.prefetched.loop) == st.order.end() || l.fused ||
        !l.group.empty())
      say("this loop of " + st.definition->name + " is split or fused: prefetch in a loop that stays");
    if (l.kind != ir::loop_kind::serial && l.kind != ir::loop_kind::unrolled)
      say("this loop of " + st.definition->name + " is no plain or unrolled one: no iteration comes later");
  }
}

}}}  // namespace ttune::v0::primitives
#endif
