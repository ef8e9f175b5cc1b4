// SPDX-License-Identifier: Apache-2.0
// reorder: the named loops exchange their places, so that they have the order given.
//
//   for i                            for j
//     for j                    →       for k
//       for k                            for i
//         S                                S                 reorder(j, k, i)
//
// With a permutation knob, the order given is choice (0, 1, 2, …). The places of such loops are unknown until the knob
// is chosen, so no later reorder may name one of them.
#pragma once

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

inline void reorder(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  std::vector<std::int32_t> wanted;
  std::vector<std::int32_t> places;
  for (auto const& name : s.loops) {
    auto const id = leaf(st, s, name);
    if (!st.loops[static_cast<std::size_t>(id)].group.empty())
      refuse(s, name, "this loop is fused of others: reorder them first");
    if (!s.values.empty() && st.loops[static_cast<std::size_t>(id)].kind >= ir::loop_kind::block_x)
      refuse(s, name, "this loop is bound to blocks or threads: a permutation knob leaves it out");
    if (is_permuted(st, id))
      refuse(s, name, "stands where a permutation knob puts it: reorder before that, or leave it out");
    if (std::find(wanted.begin(), wanted.end(), id) != wanted.end()) refuse(s, name, "named twice");
    wanted.push_back(id);
    places.push_back(static_cast<std::int32_t>(position(st, id)));
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) st.order[static_cast<std::size_t>(places[i])] = wanted[i];
  if (s.values.empty()) return;
  if (!st.permuted.empty()) refuse(s, st.definition->name, "this stage has a permutation knob already; one is enough");
  st.permuted = places;
  st.permutation = s.values[0];
}

}}}  // namespace ttune::v0::primitives
