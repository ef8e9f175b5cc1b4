// SPDX-License-Identifier: Apache-2.0
// Computes how far the axes of stages move while the inner loops of a loop nest run. Regions and bounds are made of
// these distances.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "ttune/ir/stmt.hpp"
#include "ttune/loop_nest/axis_memo.hpp"
#include "ttune/loop_nest/loop_nest.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns how far an axis moves while those loops of its own stage run for which `runs(level)` is true.
template <class Runs>
inline std::int64_t own_span(loop_nest const& n, std::size_t st, std::size_t axis, Runs const& runs) {
  std::int64_t span = 0;
  auto const& s = n.stages[st];
  for (std::int32_t i = 0; i < s.count; ++i) {
    auto const& l = n.loops[static_cast<std::size_t>(s.first + i)];
    if (static_cast<std::size_t>(l.axis) == axis && runs(i))
      span += static_cast<std::int64_t>(l.stride) * (l.extent - 1);
  }
  return std::min<std::int64_t>(span, s.extent[axis] - 1);
}
/// Returns how far an axis moves while loops (from, to] of its own stage run.
inline std::int64_t own_span(loop_nest const& n, std::size_t st, std::size_t axis, std::int32_t from, std::int32_t to) {
  return own_span(n, st, axis, [=](std::int32_t i) { return i > from && i <= to; });
}

/// Returns true if a loop of a stage, or the one that it is fused into, runs over threads.
inline bool over_threads(loop_nest const& n, std::size_t st, std::int32_t level) {
  auto const* l = &n.loops[static_cast<std::size_t>(n.stages[st].first + level)];
  while (l->fused) ++l;
  return l->kind >= ir::loop_kind::thread_x;
}

/// The place where a stage is computed: inside loops [0, depth] of stage `of`. Its region is what is read there while
/// the loops around the place stand still. If all threads share the region, those over threads run, too (`group`).
struct region_place {
  std::size_t of = 0;
  std::int32_t depth = -1;
  bool group = false;
};
[[nodiscard]] inline region_place place_of(loop_nest const& n, std::size_t st) {
  auto const& s = n.stages[st];
  return {static_cast<std::size_t>(s.attached_to), s.depth, s.group};
}

/// Returns true if stage `r` is `of`, or is computed in its loops.
[[nodiscard]] inline bool is_in_loops_of(loop_nest const& n, std::size_t r, std::int16_t of) {
  while (static_cast<std::int16_t>(r) != of) {
    if (n.stages[r].attached_to < 0) return false;
    r = static_cast<std::size_t>(n.stages[r].attached_to);
  }
  return true;
}

/// Returns the innermost level of a stage's loops that is around a place, or -1 if none is.
[[nodiscard]] inline std::int32_t last_around(loop_nest const& n, std::size_t st, region_place at) {
  while (at.of != st) {
    auto const& s = n.stages[at.of];
    if (s.attached_to < 0) return -1;
    at = {static_cast<std::size_t>(s.attached_to), s.depth, false};
  }
  return at.depth;
}

/// Finds how far axes move inside one place. It follows the reads of a stage to the stages around, and remembers what
/// it finds on the way: each read is followed once, however many paths of reads lead to it.
class spans_inside {
 public:
  spans_inside(plan const& p, loop_nest const& n, region_place const& at) : p_(p), n_(n), at_(at) {}

  /// Returns how far an axis moves while the loops inside the place run, those over threads around it among them if
  /// all threads share what is computed there.
  [[nodiscard]] std::int64_t operator()(std::size_t st, std::size_t axis) {
    auto const own = st == at_.of ? own_span(n_, st, axis, at_.depth, n_.stages[st].count - 1)
                                  : n_.stages[st].extent[axis] - 1 + base_span(st, axis);
    if (!at_.group) return own;
    auto threads = base_span_of_threads(st, axis);
    if (st == at_.of)
      threads += own_span(n_, st, axis, [&](std::int32_t i) { return i <= at_.depth && over_threads(n_, st, i); });
    return std::min(own + threads, p_.stages[st].axis_size(axis) - 1);
  }

 private:
  /// Returns how far the base of an axis of an attached stage moves while the loops between the place and the stage's
  /// own place run.
  std::int64_t base_span(std::size_t st, std::size_t axis) {
    auto const last = n_.stages[st].depth;
    if (n_.stages[st].attached_to == static_cast<std::int16_t>(at_.of) && last <= at_.depth)
      return 0;  // it stands outside of them
    return found(bases_, st, axis, [&](std::size_t r, std::size_t x, bool here) {
      if (r == at_.of) return own_span(n_, r, x, at_.depth, here ? last : n_.stages[r].count - 1);
      return (here ? own_span(n_, r, x, -1, last) : 0) + base_span(r, x);
    });
  }

  /// Returns how far the base of an axis of an attached stage moves while the threads around the place run that are
  /// around the stage's own place.
  std::int64_t base_span_of_threads(std::size_t st, std::size_t axis) {
    auto const& s = n_.stages[st];
    if (s.group) return 0;  // one for all threads
    return found(bases_of_threads_, st, axis, [&](std::size_t r, std::size_t x, bool here) {
      auto const last = here ? std::min<std::int32_t>(s.depth, last_around(n_, r, at_)) : -1;
      return own_span(n_, r, x, [&](std::int32_t i) { return i <= last && over_threads(n_, r, i); }) +
             base_span_of_threads(r, x);
    });
  }

  /// Returns what `memo` has, or the largest span of the indices that read the axis. `of_reader(r, x, here)` is how far
  /// axis x of reader r moves; `here` says that the stage is computed inside of loops of r.
  template <class OfReader>
  std::int64_t found(axis_memo<std::int64_t>& memo, std::size_t st, std::size_t axis, OfReader const& of_reader) {
    auto const& s = n_.stages[st];
    if (s.attached_to < 0 || axis >= p_.stages[st].definition->axes.size()) return 0;
    if (s.extent[axis] >= p_.stages[st].axis_size(axis)) return 0;  // the whole axis: its base is 0
    if (auto const* const before = memo.find(st, axis)) return *before;
    std::int64_t most = 0;
    for (std::size_t r = st + 1; r < p_.stages.size(); ++r) {
      auto const& reader = n_.stages[r];
      bool const here = static_cast<std::size_t>(s.attached_to) == r;
      if (reader.inlined || (!here && !is_in_loops_of(n_, r, s.attached_to))) continue;
      for (auto const& a : p_.stages[r].accesses) {
        if (a.write || a.producer != static_cast<std::int32_t>(st)) continue;
        auto const& index = a.indices[axis];
        std::int64_t span = 0;
        for (std::size_t x = 0; x < index.coefficient.size(); ++x)
          if (index.coefficient[x] != 0) span += std::abs(index.coefficient[x]) * of_reader(r, x, here);
        most = std::max(most, index.divisor == 1 ? span : ceil_divide(span, index.divisor));
      }
    }
    memo.keep(st, axis, most);
    return most;
  }

  plan const& p_;
  loop_nest const& n_;
  region_place at_;
  axis_memo<std::int64_t> bases_;
  axis_memo<std::int64_t> bases_of_threads_;
};

/// Returns how far an axis moves while all loops inside place (of, depth) run.
inline std::int64_t span_inside(plan const& p, loop_nest const& n, std::size_t st, std::size_t axis, std::size_t of,
                                std::int32_t depth) {
  return spans_inside(p, n, {of, depth, false})(st, axis);
}

}}}  // namespace ttune::v0::detail
