// SPDX-License-Identifier: Apache-2.0
// The parts of a split loop.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/schedule/stage_plan.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// Appends the leaves of a loop in the order of its iterations.
inline void append_leaves(stage_plan const& st, std::int32_t id, std::vector<std::int32_t>& to) {
  auto const& l = st.loops[static_cast<std::size_t>(id)];
  if (l.children.empty()) to.push_back(id);
  for (auto const child : l.children) append_leaves(st, child, to);
}

}}}  // namespace ttune::v0::primitives
