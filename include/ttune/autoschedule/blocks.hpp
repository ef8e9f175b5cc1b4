// SPDX-License-Identifier: Apache-2.0
// Stages that pass large results to each other and share an axis. Each task computes a block of this axis in all
// stages, so that the data between them stay in a core's cache.
//
//   parallel blocks of i
//     S of the block = Q K^T
//     E of the block = exp(S - largest)
//     O of the block = E V
#pragma once

#include "ttune/autoschedule/select_axis.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// The block axis of a stage.
struct block_axis {
  std::string name;       ///< the stage's name for it; empty if there are no blocks
  bool is_last = false;   ///< true for the stage for whose blocks the others are computed: its blocks are the tasks
  std::int64_t seed = 1;  ///< elements of a block
};

/// Stages that are computed for blocks of the last one's axis.
struct block_chain {
  std::vector<std::int32_t> axis;  ///< for each stage its axis that is the common one; -1: none, or not in the chain
  double bytes_each = 0;           ///< bytes between the stages for one element of the axis
};

/// Returns the only dimension of `producer` that all reads of `reader` index by its axis `axis` alone; -1 if none.
[[nodiscard]] inline std::int32_t dimension_along(stage_plan const& reader, std::int32_t producer, std::int32_t axis) {
  std::int32_t found = -1;
  for (auto const& a : reader.accesses) {
    if (a.write || a.producer != producer) continue;
    std::int32_t here = -1;
    for (std::size_t d = 0; d < a.indices.size(); ++d)
      if (axis_alone(a.indices[d]) == axis) here = static_cast<std::int32_t>(d);
    if (here < 0 || (found >= 0 && here != found)) return -1;
    found = here;
  }
  return found;
}

/// Returns the bytes of a stage's results for one element of its axis `along`.
[[nodiscard]] inline double bytes_along(stage_plan const& st, std::int32_t along) {
  double bytes = 0;
  for (auto const& c : st.definition->components) bytes += static_cast<double>(size_in_bytes(c.type));
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
    if (static_cast<std::int32_t>(x) != along) bytes *= static_cast<double>(st.axis_size(x));
  return bytes;
}

/// Returns the stages that stage `last` needs, directly or through others, and that a block of its axis needs only for
/// this block. Other stages are computed before, completely, and so are those for which `may(stage)` is false.
template <class May>
[[nodiscard]] block_chain chain_along(plan const& p, std::size_t last, std::int32_t axis, May const& may) {
  block_chain made;
  made.axis.assign(p.stages.size(), -1);
  made.axis[last] = axis;
  for (auto s = last; s-- > 0;) {
    auto const& st = p.stages[s];
    if (st.output || st.definition->updates || is_of_constants(p, st) || !may(st)) continue;
    auto const readers = readers_of(p, static_cast<std::int32_t>(s));
    std::int32_t common = -1;
    bool fits = !readers.empty();
    for (auto const r : readers) {
      auto const theirs = made.axis[static_cast<std::size_t>(r)];
      auto const mine =
          theirs < 0 ? -1
                     : dimension_along(p.stages[static_cast<std::size_t>(r)], static_cast<std::int32_t>(s), theirs);
      fits = fits && mine >= 0 && (common < 0 || mine == common);
      common = mine;
    }
    if (!fits) continue;
    made.axis[s] = common;
    made.bytes_each += bytes_along(st, common);
  }
  return made;
}

[[nodiscard]] inline block_chain chain_along(plan const& p, std::size_t last, std::int32_t axis) {
  return chain_along(p, last, axis, [](stage_plan const&) { return true; });
}

}}}  // namespace ttune::v0::autoschedule
