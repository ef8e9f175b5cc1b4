// SPDX-License-Identifier: Apache-2.0
// compute_at: a stage is computed inside of a loop of its reader; only the part that is read there is computed.
//
//   for i: P[i] = …                  for io
//   for io                     →       for i in 0..f: P[i] = … at io * f + i      compute_at(P, C, io)
//     for ii                           for ii
//       C[io, ii] = … P[…]               C[io, ii] = … P[…]
//
// store_in chooses the memory of that part and, in shared memory, the number of unused elements after each row, so that
// threads that read down a column use different banks. pack lays the part out in the order in which its loops write
// it.
#pragma once

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

inline bool reads_through(plan const& p, std::size_t reader, std::size_t producer) {
  // Stages are in topological order: follow the reads from `reader` down to `producer`.
  std::vector<bool> reached(p.stages.size(), false);
  reached[reader] = true;
  for (std::size_t i = reader + 1; i-- > producer;) {
    if (!reached[i]) continue;
    for (auto const& a : p.stages[i].accesses)
      if (!a.write && a.producer >= 0) reached[static_cast<std::size_t>(a.producer)] = true;
  }
  return reached[producer];
}

inline void compute_at(plan& p, step const& s) {
  auto const self = static_cast<std::size_t>(stage_index(p, s, s.stage));
  auto const reader = stage_index(p, s, s.loops.at(0));
  auto& st = p.stages[self];
  if (st.output) refuse(s, s.stage, "is an output; an output is computed at the root");
  if (static_cast<std::size_t>(reader) <= self || !reads_through(p, static_cast<std::size_t>(reader), self))
    refuse(s, s.loops[0], "does not read " + s.stage);
  auto const& at = p.stages[static_cast<std::size_t>(reader)];
  if (st.placed) refuse(s, s.stage, "has a place already: a location knob chooses among several");
  st.placed = true;
  st.places.clear();
  for (std::size_t i = 1; i < s.loops.size(); ++i) {
    place_plan place;
    if (s.loops[i] == place_inline) place.kind = place_plan::sort::inlined;
    else if (s.loops[i] != place_root) place = {place_plan::sort::inside, reader, leaf(at, s, s.loops[i])};
    if (place.kind == place_plan::sort::inlined && st.definition->reduces())
      refuse(s, s.stage, "is a reduction, which cannot be computed inline");
    for (auto const& a : st.accesses)
      if (place.kind == place_plan::sort::inlined && a.producer >= 0)
        refuse(s, s.stage, "reads another stage; only a copy of an operand can be inlined by choice: use inline_stage");
    st.places.push_back(place);
  }
  st.place = s.values.empty() ? literal(0) : s.values[0];
}

inline void store_in(plan& p, step const& s) {
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

inline void pack(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (st.output) refuse(s, s.stage, "is an output; its layout is the caller's");
  st.packed = true;
}

}}}  // namespace ttune::v0::primitives
