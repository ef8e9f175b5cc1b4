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
#pragma once

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// Maximum of lines that one iteration may prefetch: processors have room for a few dozen at a time.
inline constexpr std::size_t max_prefetched_lines = 32;

/// Returns the index of `source` among the operands that a stage reads; -1 if it reads none of that name, or a table.
inline std::int32_t read_operand(plan const& p, stage_plan const& st, std::string const& source) {
  for (auto const& a : st.accesses) {
    if (a.write || a.operand < 0) continue;
    auto const& read = *p.program->inputs[static_cast<std::size_t>(a.operand)];
    if (read.name == source && read.role != ir::tensor_role::table) return a.operand;
  }
  return -1;
}

inline void prefetch(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (s.loops.size() != 1 || s.results.size() != 1 || s.values.size() != 1)
    refuse(s, listed(s.loops), "takes an operand, a loop and the number of iterations ahead");
  if (s.values[0].is_literal() && s.values[0].literal < 0)
    refuse(s, s.loops[0], "looks ahead: the number of iterations is not negative");
  if (st.prefetched.operand >= 0) refuse(s, s.results[0], "stage " + s.stage + " prefetches an operand already");
  auto const operand = read_operand(p, st, s.results[0]);
  if (operand < 0) refuse(s, s.results[0], "stage " + s.stage + " reads no operand of this name");
  st.prefetched = {operand, leaf(st, s, s.loops[0]), s.values[0]};
}

/// Checks after all steps that the loop has consecutive iterations.
inline void check_prefetched(plan const& p) {
  for (auto const& st : p.stages) {
    if (st.prefetched.operand < 0) continue;
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
