// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/capture/layouts.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/alternatives.hpp"
#include "ttune/tune/usable_space.hpp"

namespace ttune { inline namespace v0 {

std::vector<alternative> arranged_in(std::vector<named_layout> const& layouts,
                                     std::vector<unarranged_alternative> const& all, target const& machine,
                                     space_source const& derive) {
  std::vector<alternative> made;
  for (auto const& a : all)
    made.push_back({usable_space(capture::arrange(a.program, layouts), machine, derive), a.error, layouts});
  return made;
}

std::vector<alternative> arranged_alternatives(std::vector<unarranged_alternative> const& all, target const& machine,
                                               space_source const& derive) {
  std::vector<alternative> made;
  for (auto const& layouts : capture::layout_candidates(*all.front().program, machine.vector_bytes)) {
    try {
      for (auto& a : arranged_in(layouts, all, machine, derive)) made.push_back(std::move(a));
    } catch (program_error const&) {
      continue;  // an alternative reads an operand differently from the first; the plain layouts remain
    }
  }
  return made;
}

}}  // namespace ttune::v0
