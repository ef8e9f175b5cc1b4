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

}}}  // namespace ttune::v0::primitives
