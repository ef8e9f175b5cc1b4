// SPDX-License-Identifier: Apache-2.0
// Common parts of structural primitives: the stage that a step names, and unused names.
#pragma once

#include <string>

#include "ttune/ir/rebuild.hpp"
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

using ir::identity;
using ir::map_accesses;
using ir::map_stage;
using ir::map_variables;
using ir::program_builder;

/// Returns the stage that a structural step names.
[[nodiscard]] inline handle<ir::stage> find_stage(handle<ir::program> const& p, step const& s,
                                                  std::string const& name) {
  std::vector<std::string> names;
  for (auto const& st : p->stages) {
    if (st->name == name) return st;
    names.push_back(st->name);
  }
  refuse(s, name, "no stage of this name; there are " + listed(names));
}

inline void require_new_stage(handle<ir::program> const& p, step const& s, std::string const& name) {
  for (auto const& st : p->stages)
    if (st->name == name) refuse(s, name, "there is a stage of this name: choose another");
}

/// Returns the number of the free axis that a step names, after checking that it runs from 0 to a known end.
[[nodiscard]] inline std::size_t free_axis_of(ir::stage const& st, step const& s) {
  std::size_t axis = 0;
  while (axis < st.axes.size() && st.axes[axis].name != s.loops.at(0)) ++axis;
  if (axis == st.axes.size()) refuse(s, s.loops[0], "is not a free axis of " + st.name);
  if (st.axes[axis].begin != 0 || !st.axes[axis].end.is_constant() || st.axes[axis].size() < 1)
    refuse(s, s.loops[0], "does not begin at 0, or has no known end");
  return axis;
}

/// Refuses names of new axes that the stage has already.
inline void require_new_axes(ir::stage const& st, step const& s, std::string const& first, std::string const& second) {
  for (auto const* axes : {&st.axes, &st.reduction.axes})
    for (auto const& a : *axes)
      if (a.name == first || a.name == second)
        refuse(s, a.name, "is an axis of " + st.name + " already: choose another name");
}

}}}  // namespace ttune::v0::primitives
