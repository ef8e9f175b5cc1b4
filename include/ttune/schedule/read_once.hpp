// SPDX-License-Identifier: Apache-2.0
// Stages that read each element of another one once: an output can then be computed in their loops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 {

/// Returns the axes by which a stage without a reduction reads another one, dimension by dimension, if it reads each
/// element once; nothing if it does not.
inline std::optional<std::vector<std::int32_t>> axes_of_reading_once(plan const& p, std::size_t self,
                                                                     std::size_t reader) {
  auto const& at = p.stages[reader];
  if (at.definition->reduces() || at.definition->predicate) return std::nullopt;
  for (auto const& a : at.accesses) {
    if (a.write || a.along || a.producer != static_cast<std::int32_t>(self)) continue;
    std::vector<std::int32_t> axes;
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      auto const axis = axis_alone(a.indices[d]);
      bool const is_new = axis >= 0 && std::find(axes.begin(), axes.end(), axis) == axes.end();
      if (is_new && at.axis_size(static_cast<std::size_t>(axis)) == p.stages[self].axis_size(d)) axes.push_back(axis);
    }
    if (axes.size() == a.indices.size()) return axes;
  }
  return std::nullopt;
}

}}  // namespace ttune::v0
