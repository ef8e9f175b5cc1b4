// SPDX-License-Identifier: Apache-2.0
// Finds the stages and loops that a primitive names, and reports missing ones.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/schedule/stage_plan.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

[[noreturn]] inline void refuse(step const& s, std::string const& culprit, std::string const& sentence) {
  throw schedule_error(name_of(s.what), culprit, sentence);
}

inline std::string listed(std::vector<std::string> const& names) {
  std::string text;
  for (auto const& n : names) text += (text.empty() ? "" : ", ") + n;
  return text;
}

inline std::int32_t stage_index(plan const& p, step const& s, std::string const& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    if (p.stages[i].definition->name == name) return static_cast<std::int32_t>(i);
    names.push_back(p.stages[i].definition->name);
  }
  refuse(s, name, "no stage of this name; there are " + listed(names));
}

inline stage_plan& stage_of(plan& p, step const& s) {
  return p.stages[static_cast<std::size_t>(stage_index(p, s, s.stage))];
}

/// Returns the leaf loop with a name, as an index into `loops`.
inline std::int32_t leaf(stage_plan const& st, step const& s, std::string const& name) {
  std::vector<std::string> names;
  for (auto const id : st.order) {
    auto const& l = st.loops[static_cast<std::size_t>(id)];
    if (l.fused || (!l.group.empty() && l.group != name)) {
      if (l.name == name) refuse(s, name, "this loop is fused with another: name the loop that they became");
      continue;
    }
    if (l.name == name || l.group == name) return id;
    names.push_back(l.group.empty() ? l.name : l.group);
  }
  for (auto const& l : st.loops)
    if (l.name == name) refuse(s, name, "this loop of " + st.definition->name + " was split: name one of its parts");
  refuse(s, name, "no loop " + name + " in stage " + st.definition->name + "; its loops are " + listed(names));
}

inline void require_new_name(stage_plan const& st, step const& s, std::string const& name) {
  for (auto const& l : st.loops)
    if (l.name == name) refuse(s, name, "stage " + st.definition->name + " has a loop of this name: choose another");
}

inline bool is_reduction_axis(stage_plan const& st, std::int32_t axis) {
  return static_cast<std::size_t>(axis) >= st.definition->axes.size();
}

/// Returns the position of a leaf in the order.
inline std::size_t position(stage_plan const& st, std::int32_t id) {
  return static_cast<std::size_t>(std::find(st.order.begin(), st.order.end(), id) - st.order.begin());
}

/// Returns true if a permutation knob may move a leaf.
inline bool is_permuted(stage_plan const& st, std::int32_t id) {
  return std::find(st.permuted.begin(), st.permuted.end(), static_cast<std::int32_t>(position(st, id))) !=
         st.permuted.end();
}

/// Returns true if a stage reads another one, or reads stages that do.
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

}}}  // namespace ttune::v0::primitives
