// SPDX-License-Identifier: Apache-2.0
// Moves the last tile of rows of an axis whose extent a call gives, so that it ends where the axis ends: all of its
// rows exist then, and some are computed a second time (Halide's TailStrategy::ShiftInwards). Only an axis that is
// shorter than a tile has rows that do not exist.
//
//   for io < (M + 7) / 8                          for io < (M + 7) / 8
//     unroll i < 8                                  if M >= 8
//       C[io * 8 + i] = … if that is below M   →      let place = min(io * 8, M - 8)
//                                                     unroll i < 8: C[place + i] = …
//                                                   else
//                                                     unroll i < 8: if i < M: C[i] = …
//
// Not for vectorised loops: few lanes of a tile cost less than all of them (short_tiles.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/lowering/redirected_index.hpp"
#include "ttune/lowering/statements/open_loops.hpp"
#include "ttune/lowering/statements/short_tiles.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Tiles of rows that a loop of a stage passes: unrolled loops inside.
struct moved_tile {
  std::size_t axis;
  std::int64_t rows;
  std::string extent;  ///< of the axis: a variable
  ir::expr begin;      ///< of the tile of an iteration
};

/// Returns true if a stage may compute elements twice: it stores what it computes of operands and of stages inside of
/// its loops, which begin anew.
[[nodiscard]] inline bool may_repeat(scope const& in, std::size_t st) {
  auto const& definition = *in.p.stages[st].definition;
  if (in.n.stages[st].attached_to >= 0 || definition.reduces() || definition.updates) return false;
  for (std::size_t q = 0; q <= st; ++q) {
    auto const& s = in.n.stages[q];
    if (s.inlined) continue;
    if (in.p.stages[q].scattered || s.continued || s.slid_axis >= 0 || s.warm_up != 0 || s.buffers != 1) return false;
  }
  return true;
}

/// Returns true if a stage, or one before it, has reads that a boundary redirects: open_interiors.hpp makes versions of
/// its tiles, which know the elements near both ends of an axis.
[[nodiscard]] inline bool has_boundaries(scope const& in, std::size_t st) {
  auto const asks = [](ir::expr const& e) { return ir::as<ir::select>(e) || detail::as_turn(e); };
  for (std::size_t q = 0; q <= st; ++q) {
    auto const& definition = *in.p.stages[q].definition;
    if (definition.predicate) return true;
    for (auto const& c : definition.components)
      if (ir::contains(c.value, asks)) return true;
  }
  return false;
}

/// Returns true if regions of stages that are computed outside of a loop begin where its iterations along an axis do.
[[nodiscard]] inline bool has_regions_outside(scope const& in, bases const& base, std::size_t st, std::int32_t level,
                                              std::size_t axis) {
  std::vector<std::string> loops;
  for (std::int32_t l = 0; l <= level; ++l)
    if (static_cast<std::size_t>(in.loop(st, l).axis) == axis) loops.push_back(in.variable(st, l));
  for (std::int32_t l = 0; l < level; ++l)
    for (auto const q : in.computed_inside(st, l))
      for (auto const& begin : base[q])
        if (ir::mentions(begin, loops)) return true;
  return false;
}

/// Returns the tiles that the loop at a level passes, if the last one may be moved.
[[nodiscard]] inline std::optional<moved_tile> find_moved_tile(scope const& in, bases const& base, std::size_t st,
                                                               std::int32_t level) {
  auto const& loop = in.loop(st, level);
  auto const axis = static_cast<std::size_t>(loop.axis);
  if (!in.is_open(st, axis) || !can_end_early(loop) || in.run_of(st, axis) != 1 || in.moved.count({st, axis}) != 0)
    return std::nullopt;
  auto const rows = width_of_tile(in, st, level + 1, axis);
  if (rows == 1 || rows != loop.stride || ends_inside(in, st, level + 1, axis)) return std::nullopt;
  for (auto l = level + 1; l < in.n.stages[st].count; ++l)
    if (auto const& inner = in.loop(st, l); static_cast<std::size_t>(inner.axis) == axis && inner.extent > 1)
      if (inner.kind != ir::loop_kind::unrolled) return std::nullopt;
  if (!computes_behind_end(in, st, axis) || !may_repeat(in, st) || has_boundaries(in, st)) return std::nullopt;
  if (has_regions_outside(in, base, st, level, axis)) return std::nullopt;
  return moved_tile{axis, rows, ir::as<ir::variable>(in.values_of(st, axis))->name,
                    begin_of_iteration(in, base, st, level + 1, axis)};
}

}}}  // namespace ttune::v0::lowering
