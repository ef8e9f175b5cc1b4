// SPDX-License-Identifier: Apache-2.0
// Reductions with so few results that threads would have nothing to do: each computes a share, then the shares are
// reduced. The step here only makes the stage of the shares; it is scheduled like any other.
//
//   S = sum(k < K) e(k)      →      shares(t < f) = sum(o < K / f) e(t * K / f + o)      f: some a core
//                                   S = sum(t < f) shares(t)
#pragma once

#include <optional>

#include "ttune/schedule/derive/analysis.hpp"

namespace ttune::inline v0::derive {

/// A reduced axis and how many shares are made of it.
struct share_choice {
  std::size_t axis;
  std::int64_t count;
};

/// Below this many elements threads are not worth waking.
inline constexpr std::int64_t least_shared_elements = 1 << 16;

/// Shares of equal size: two a core or more, to the eighth, else one to two; 0: the extent has no such divisor.
[[nodiscard]] inline std::int64_t equal_shares(std::int64_t extent, std::int64_t cores) {
  for (auto count = 2 * cores; count <= 8 * cores && count <= extent; ++count)
    if (extent % count == 0) return count;
  for (auto count = 2 * cores - 1; count >= cores; --count)
    if (extent % count == 0) return count;
  return 0;
}

/// Of a reduction whose lanes run along a reduced axis; nothing if its results keep the cores busy, or if no axis can
/// be shared equally. The outermost axis that can: shares are far from each other in memory.
[[nodiscard]] inline std::optional<share_choice> choose_shares(planned_stage const& st, target const& machine) {
  auto const cores = static_cast<std::int64_t>(machine.cores);
  auto const& reduction = st.definition->reduction;
  if (cores < 2 || st.definition->components.size() != 1 || !reduction.associative || !reduction.commutative)
    return std::nullopt;
  auto const free = st.definition->axes.size();
  std::int64_t results = 1;
  std::int64_t elements = 1;
  for (std::size_t x = 0; x < st.axis_count(); ++x) {
    if (x < free) results *= st.axis_size(x);
    elements *= st.axis_size(x);
  }
  if (results >= cores || elements < least_shared_elements) return std::nullopt;
  for (auto x = free; x < st.axis_count(); ++x)
    if (auto const count = equal_shares(st.axis_size(x), cores); count > 0) return share_choice{x, count};
  return std::nullopt;
}

}  // namespace ttune::inline v0::derive
