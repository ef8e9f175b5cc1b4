// SPDX-License-Identifier: Apache-2.0
// split: one loop becomes several, outermost first.
//
//   for i in 0..E                    for io in 0..ceil(E / f)
//     S[i]                     →       for ii in 0..f
//                                        if io * f + ii < E: S[io * f + ii]
//
// The condition disappears if f divides E; otherwise the loops are cut into an interior and a tail
// (lowering/partition.hpp), so that no inner loop has a condition.
#pragma once

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

inline void split(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (s.loops.size() != 1 || s.results.size() < 2 || s.values.size() + 1 != s.results.size())
    refuse(s, listed(s.loops), "takes one loop, the names of its parts and the extents of all parts but the outermost");
  auto const id = leaf(st, s, s.loops[0]);
  if (!st.loops[static_cast<std::size_t>(id)].group.empty())
    refuse(s, s.loops[0], "this loop is fused of others: split them first, fuse then");
  for (auto const& other : p.stages)
    for (auto const& place : other.places)
      if (place.kind == place_plan::sort::inside && place.stage == stage_index(p, s, s.stage) && place.loop == id)
        refuse(s, s.loops[0], other.definition->name + " is computed in this loop: split before compute_at");
  if (!st.permuted.empty() && static_cast<std::int32_t>(position(st, id)) <= st.permuted.back())
    refuse(s, s.loops[0], "stands where a permutation knob moves loops: split before that reorder");
  for (auto const& v : s.values)
    if (v.is_literal() && v.literal < 1)
      refuse(s, s.loops[0], "the extent of a part is " + std::to_string(v.literal) + "; it must be at least 1");
  std::vector<std::int32_t> parts;
  for (auto const& name : s.results) {
    require_new_name(st, s, name);
    loop_plan part;
    part.name = name;
    part.axis = st.loops[static_cast<std::size_t>(id)].axis;
    parts.push_back(static_cast<std::int32_t>(st.loops.size()));
    st.loops.push_back(std::move(part));
  }
  auto& parent = st.loops[static_cast<std::size_t>(id)];
  parent.children = parts;
  parent.factors = s.values;
  auto const at = st.order.begin() + static_cast<std::ptrdiff_t>(position(st, id));
  st.order.insert(st.order.erase(at), parts.begin(), parts.end());
}

}}}  // namespace ttune::v0::primitives
