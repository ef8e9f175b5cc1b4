// SPDX-License-Identifier: Apache-2.0
// The sizes of the panels into which operands of a contraction are packed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ttune/autoschedule/cpu/packing.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns the bytes of the panel of an operand for `elements` of the vector axis; 0 if there is none, or so few tiles
/// of rows use it that it does not matter.
[[nodiscard]] inline std::int64_t bytes_of_panel(plan const& p, stage_plan const& st, access_plan const& a,
                                                 std::int32_t vector_axis, std::int64_t elements) {
  if (!is_packable(p, st, a, vector_axis) || is_constant_operand(p, a)) return 0;
  bool const contiguous = stride(p, st, a, static_cast<std::size_t>(vector_axis)) == 1;
  if (uses_of(p, st, a) < (contiguous ? 32 : 16) || (contiguous && !has_far_rows(p, st, a))) return 0;
  auto bytes = elements * static_cast<std::int64_t>(size_in_bytes(st.definition->type()));
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x)
    if (stride(p, st, a, x) != 0) bytes *= st.axis_size(x);
  return bytes;
}

/// Returns the bytes of the largest panel.
[[nodiscard]] inline std::int64_t bytes_of_largest_panel(plan const& p, stage_plan const& st, std::int32_t vector_axis,
                                                         std::int64_t elements) {
  std::int64_t most = 0;
  for (auto const& a : st.accesses) most = std::max(most, bytes_of_panel(p, st, a, vector_axis, elements));
  return most;
}

/// Returns the bytes of all panels together; 0 if another free axis has panels of its own.
[[nodiscard]] inline std::int64_t bytes_of_panels(plan const& p, stage_plan const& st, std::int32_t vector_axis,
                                                  std::int64_t elements) {
  std::int64_t sum = 0;
  for (auto const& a : st.accesses) {
    auto const bytes = bytes_of_panel(p, st, a, vector_axis, elements);
    for (std::size_t x = 0; x < st.definition->axes.size() && bytes > 0; ++x)
      if (static_cast<std::int32_t>(x) != vector_axis && st.axis_size(x) > 1 && stride(p, st, a, x) != 0) return 0;
    sum += bytes;
  }
  return sum;
}

}}}  // namespace ttune::v0::autoschedule
