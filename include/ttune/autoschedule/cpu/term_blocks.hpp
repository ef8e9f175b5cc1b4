// SPDX-License-Identifier: Apache-2.0
// Divides a long reduction into blocks of terms, so that the panel of an operand for one block stays in a cache:
//
//   for k_run                      a block of terms
//     for v_1 …                    tiles of the result
//       pack the panel of this block and tile
//       for w_1 …
//         registers acc[row tile, vector tile] = 0
//         for k: acc += …
//         total[tile] += acc
//
// Otherwise the panel of all terms passes through the first-level cache for each tile of rows.
#pragma once

#include <algorithm>
#include <vector>

#include "ttune/autoschedule/cpu/panels.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// A reduced axis and the number of its blocks.
struct term_blocks {
  std::int32_t axis = -1;
  std::int64_t count = 1;
  [[nodiscard]] explicit operator bool() const noexcept { return axis >= 0; }
};

/// Chooses blocks of the longest of the reduced axes `rolled`; nothing if the panels of all terms fit the second-level
/// cache.
[[nodiscard]] inline term_blocks blocks_of_terms(target const& machine, plan const& p, stage_plan const& st,
                                                 std::int32_t vector_axis, std::int64_t tile_v,
                                                 std::vector<std::int32_t> const& rolled) {
  if (!starts_at_zero(st) || !ir::reorders_apart(st.definition->reduction) || rolled.empty()) return {};
  auto const bytes = bytes_of_largest_panel(p, st, vector_axis, tile_v);
  if (bytes <= machine.l2_bytes) return {};
  auto const size = [&](std::int32_t a) { return st.axis_size(static_cast<std::size_t>(a)); };
  auto const longest =
      *std::max_element(rolled.begin(), rolled.end(), [&](auto a, auto b) { return size(a) < size(b); });
  auto const wanted = ceil_divide(bytes, machine.l2_bytes / 2);
  return {longest, runs_of(size(longest), std::max<std::int64_t>(1, size(longest) / wanted))};
}

}}}  // namespace ttune::v0::autoschedule
