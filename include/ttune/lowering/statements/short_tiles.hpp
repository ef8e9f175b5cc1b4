// SPDX-License-Identifier: Apache-2.0
// Versions of a tile over an axis whose extent a call gives: the last tile of the axis, or the only one of a short
// axis, may need few of its lanes and rows only. Each version computes some of them.
//
//   if M >= 10 * io + 10                                  if M >= 10 * io + 10
//     unroll i < 10: acc[i] += A[io * 10 + i] * …           unroll i < 10: acc[i] += A[io * 10 + i] * …
//   else                                             →    else if M <= 10 * io + 3
//     unroll i < 10                                         unroll i < 3: acc[i] += A[min(io * 10 + i, M - 1)] * …
//       acc[i] += A[min(io * 10 + i, M - 1)] * …          else if M <= 10 * io + 6
//                                                           unroll i < 6: …
//                                                         else
//                                                           unroll i < 10: …
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/lowering/statements/open_loops.hpp"
#include "ttune/lowering/statements/overhang.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// A vectorised or unrolled loop over an open axis that may need only some of its iterations.
struct short_tile {
  std::size_t axis;
  ir::expr left;                      ///< the values of the axis from the first iteration on
  std::vector<std::int32_t> numbers;  ///< a version is made for each number of iterations; ascending
};

/// Returns the numbers of lanes that become code of their own: all halves of vectors if they are few, else doubled
/// ones. Processors that compute a vector of 64 bytes in two steps need one step for half of it.
[[nodiscard]] inline std::vector<std::int32_t> short_vectors(std::int32_t lanes, std::int64_t bytes_of_lane) {
  constexpr std::int64_t half_vector_bytes = 32;
  auto const half = static_cast<std::int32_t>(half_vector_bytes / bytes_of_lane);
  bool const few = lanes <= 8 * half;
  std::vector<std::int32_t> made;
  for (auto some = half; some < lanes; some = few ? some + half : some * 2) made.push_back(some);
  return made;
}

/// Returns the numbers of rows that become code of their own: halves, down to a quarter.
[[nodiscard]] inline std::vector<std::int32_t> short_rows(std::int32_t rows) {
  std::vector<std::int32_t> made;
  for (auto some = (rows + 3) / 4; some < rows; some *= 2)
    if (some > 1) made.push_back(some);
  return made;
}

/// Returns true if iterations of an unrolled loop behind the end of an axis compute something: the stage computes
/// elements there, or one that is computed inside of its loops does. Else conditions leave them out.
[[nodiscard]] inline bool computes_behind_end(scope const& in, std::size_t st, std::size_t axis) {
  if (axis >= in.p.stages[st].definition->axes.size()) return false;
  if (overhang_of(in, st, axis) != overhang::guarded) return true;
  for (std::size_t q = 0; q < in.p.stages.size(); ++q) {
    if (in.n.stages[q].attached_to != static_cast<std::int16_t>(st)) continue;
    for (std::size_t d = 0; d < in.p.stages[q].definition->axes.size(); ++d)
      if (overhang_of(in, q, d) != overhang::guarded) return true;
  }
  return false;
}

/// Returns a tile inside of the loops of a stage from `level` on that is worth versions and has none yet: no other loop
/// there passes its axis.
[[nodiscard]] inline std::optional<short_tile> find_short_tile(scope const& in, bases const& base, std::size_t st,
                                                               std::int32_t level) {
  auto const lane = static_cast<std::int64_t>(size_in_bytes(in.p.stages[st].definition->components[0].type));
  for (auto l = level; l < in.n.stages[st].count; ++l)
    if (!in.computed_inside(st, l).empty()) return std::nullopt;
  for (auto l = level; l < in.n.stages[st].count; ++l) {
    auto const& loop = in.loop(st, l);
    auto const axis = static_cast<std::size_t>(loop.axis);
    if (in.is_fused(st, l) || loop.stride != 1 || !in.is_open(st, axis)) continue;
    if (in.some_iterations.count({st, axis}) != 0) continue;  // the loops around have asked
    if (width_of_tile(in, st, level, axis) != loop.extent) continue;
    short_tile made{axis, in.size_of(st, axis) - begin_of_iteration(in, base, st, level, axis), {}};
    if (loop.kind == ir::loop_kind::vectorized) made.numbers = short_vectors(loop.extent, lane);
    if (loop.kind == ir::loop_kind::unrolled && computes_behind_end(in, st, axis))
      made.numbers = short_rows(loop.extent);
    auto const least = arith::bounds(made.left, in.ranges).low;
    std::erase_if(made.numbers, [&](std::int32_t number) { return number < least; });
    auto const whole = arith::to_affine(made.left + -loop.extent);
    if (!made.numbers.empty() && !(whole && follows(in, *whole))) return made;
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::lowering
