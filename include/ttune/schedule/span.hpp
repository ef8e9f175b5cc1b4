// SPDX-License-Identifier: Apache-2.0
// Computes how far the axes of stages move while some loops of a replayed nest run, for regions and bounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/nest.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0::detail {

/// Returns how far an axis moves while those loops of its own stage run for which `runs(level)` is true.
template <class Runs>
inline std::int64_t own_span(nest const& n, std::size_t st, std::size_t axis, Runs const& runs) {
  std::int64_t span = 0;
  auto const& s = n.stages[st];
  for (std::int32_t i = 0; i < s.count; ++i) {
    auto const& l = n.loops[static_cast<std::size_t>(s.first + i)];
    if (static_cast<std::size_t>(l.axis) == axis && runs(i))
      span += static_cast<std::int64_t>(l.stride) * (l.extent - 1);
  }
  return std::min<std::int64_t>(span, s.extent[axis] - 1);
}
/// The same for loops (from, to].
inline std::int64_t own_span(nest const& n, std::size_t st, std::size_t axis, std::int32_t from, std::int32_t to) {
  return own_span(n, st, axis, [=](std::int32_t i) { return i > from && i <= to; });
}

/// Returns true if a loop of a stage, or the loop that it is fused into, runs over threads.
inline bool over_threads(nest const& n, std::size_t st, std::int32_t level) {
  auto const* l = &n.loops[static_cast<std::size_t>(n.stages[st].first + level)];
  while (l->fused) ++l;
  return l->kind >= ir::loop_kind::thread_x;
}

/// Returns how far the base of an axis of an attached stage moves. `of_reader(r, x, here)` returns how far axis x of
/// reader r moves; `here` is true if the stage is computed inside of loops of r.
template <class OfReader>
inline std::int64_t base_span(plan const& p, nest const& n, std::size_t st, std::size_t axis,
                              OfReader const& of_reader) {
  auto const& s = n.stages[st];
  if (s.attached_to < 0 || axis >= p.stages[st].definition->axes.size()) return 0;
  if (s.extent[axis] >= p.stages[st].axis_size(axis)) return 0;  // the whole axis, whose base is 0
  std::int64_t most = 0;
  for (std::size_t r = st + 1; r < p.stages.size(); ++r) {
    auto const& reader = n.stages[r];
    bool const here = static_cast<std::size_t>(s.attached_to) == r;
    if (reader.inlined || (!here && reader.attached_to < 0)) continue;
    for (auto const& a : p.stages[r].accesses) {
      if (a.write || a.producer != static_cast<std::int32_t>(st)) continue;
      auto const& index = a.indices[axis];
      std::int64_t span = 0;
      for (std::size_t x = 0; x < index.coefficient.size(); ++x)
        if (index.coefficient[x] != 0) span += std::abs(index.coefficient[x]) * of_reader(r, x, here);
      most = std::max(most, index.divisor == 1 ? span : ceil_divide(span, index.divisor));
    }
  }
  return most;
}

/// The same while the loops between place (of, depth) and the stage's own place run.
inline std::int64_t base_span(plan const& p, nest const& n, std::size_t st, std::size_t axis, std::size_t of,
                              std::int32_t depth) {
  auto const last = n.stages[st].depth;
  if (n.stages[st].attached_to == static_cast<std::int16_t>(of) && last <= depth)
    return 0;  // the stage is outside of them
  return base_span(p, n, st, axis, [&](std::size_t r, std::size_t x, bool here) {
    if (r == of) return own_span(n, r, x, depth, here ? last : n.stages[r].count - 1);
    return (here ? own_span(n, r, x, -1, last) : 0) + base_span(p, n, r, x, of, depth);
  });
}

/// Returns how far an axis moves while all loops inside of place (of, depth) run.
inline std::int64_t span_inside(plan const& p, nest const& n, std::size_t st, std::size_t axis, std::size_t of,
                                std::int32_t depth) {
  if (st == of) return own_span(n, st, axis, depth, n.stages[st].count - 1);
  return n.stages[st].extent[axis] - 1 + base_span(p, n, st, axis, of, depth);
}

/// Place of a stage as its region depends on it: loops outside are fixed, except for those over threads if all threads
/// share the stage.
struct region_place {
  std::size_t of = 0;
  std::int32_t depth = -1;
  bool group = false;
};
[[nodiscard]] inline region_place place_of(nest const& n, std::size_t st) {
  auto const& s = n.stages[st];
  return {static_cast<std::size_t>(s.attached_to), s.depth, s.group};
}

/// Returns the innermost level of a stage's loops that is around a place; -1 if there is none.
[[nodiscard]] inline std::int32_t last_around(nest const& n, std::size_t st, region_place at) {
  while (at.of != st) {
    auto const& s = n.stages[at.of];
    if (s.attached_to < 0) return -1;
    at = {static_cast<std::size_t>(s.attached_to), s.depth, false};
  }
  return at.depth;
}

/// Returns how far the base of an axis of an attached stage moves while those threads run that are around a place
/// outside of the stage's own.
inline std::int64_t base_span_of_threads(plan const& p, nest const& n, std::size_t st, std::size_t axis,
                                         region_place const& at) {
  auto const& s = n.stages[st];
  if (s.group) return 0;  // one buffer for all threads
  return base_span(p, n, st, axis, [&](std::size_t r, std::size_t x, bool here) {
    auto const last = here ? std::min<std::int32_t>(s.depth, last_around(n, r, at)) : -1;
    return own_span(n, r, x, [&](std::int32_t i) { return i <= last && over_threads(n, r, i); }) +
           base_span_of_threads(p, n, r, x, at);
  });
}

/// Returns how far an axis moves inside of a place.
inline std::int64_t axis_span(plan const& p, nest const& n, std::size_t st, std::size_t axis, region_place const& at) {
  auto const span = span_inside(p, n, st, axis, at.of, at.depth);
  if (!at.group) return span;
  auto threads = base_span_of_threads(p, n, st, axis, at);
  if (st == at.of)
    threads += own_span(n, st, axis, [&](std::int32_t i) { return i <= at.depth && over_threads(n, st, i); });
  return std::min(span + threads, p.stages[st].axis_size(axis) - 1);
}

}  // namespace ttune::inline v0::detail
