// SPDX-License-Identifier: Apache-2.0
// A walk over a kernel's statements that knows, at each loop, what differs between the threads of a warp.
#pragma once

#include <algorithm>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/device_features.hpp"
#include "ttune/lowering/kernel_grid.hpp"
#include "ttune/lowering/warp_analysis.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// A kernel's surroundings: the blocks and threads that run it, and the ranges of the variables in scope.
struct kernel_scope {
  device_features const& features;
  kernel_grid const& grid;
  arith::ranges known;
};

/// Calls `replace(loop, warps, known)` for each loop that is not over blocks or threads, outer ones first. A statement
/// that it returns replaces the loop; null lets the walk go on inside of it.
template <class Replace>
class warp_walk {
 public:
  warp_walk(kernel_scope const& of, Replace const& replace)
      : grid_(of.grid), known_(of.known), warps_(of.features.has_warps, grid_, known_), replace_(replace) {}

  [[nodiscard]] ir::stmt rewrite(ir::stmt const& s) {
    if (!s) return s;
    if (auto const* n = ir::as<ir::let>(s)) {
      known_[n->variable] = {n->low, n->high - 1};
      warps_.enter_let(*n);
      auto made = parts_of(s);
      warps_.leave_let(*n);
      return made;
    }
    if (auto const* n = ir::as<ir::conditional>(s)) return diverging(s, warps_.differs_in_warp(n->condition));
    auto const* n = ir::as<ir::loop>(s);
    if (!n) return parts_of(s);
    if (is_block_loop(n->kind) || is_thread_loop(n->kind)) return in_grid(s, *n);
    auto made = replace_(*n, warps_, known_);
    if (made) return made;
    known_[n->variable] = values_of(*n);
    return diverging(s, warps_.differs_in_warp(n->begin) || warps_.differs_in_warp(n->end));
  }

 private:
  [[nodiscard]] ir::stmt parts_of(ir::stmt const& s) {
    return ir::map_parts(s, [&](ir::stmt const& part) { return rewrite(part); }, [](ir::expr const& e) { return e; });
  }

  [[nodiscard]] ir::stmt diverging(ir::stmt const& s, bool diverges) {
    warps_.enter_divergence(diverges);
    auto made = parts_of(s);
    warps_.leave_divergence(diverges);
    return made;
  }

  [[nodiscard]] arith::interval values_of(ir::loop const& l) const {
    return {arith::bounds(l.begin, known_).low, arith::bounds(l.end, known_).high - 1};
  }

  /// Threads of the grid without an iteration do not execute the body of a loop over threads.
  [[nodiscard]] ir::stmt in_grid(ir::stmt const& s, ir::loop const& l) {
    int const direction = direction_of(l.kind);
    auto const& span = grid_[direction];
    auto const values = values_of(l);
    known_[l.variable] = {std::max(values.low, span.begin), std::min(values.high, span.end - 1)};
    if (direction < kernel_grid::thread_x) return parts_of(s);
    bool const all = ir::is_constant(l.begin) && ir::constant_integer(l.begin) <= span.begin &&
                     ir::is_constant(l.end) && ir::constant_integer(l.end) >= span.end;
    warps_.enter_threads(l, direction);
    auto made = diverging(s, !all);
    warps_.leave_threads(l);
    return made;
  }

  kernel_grid const& grid_;
  arith::ranges known_;
  warp_analysis warps_;
  Replace const& replace_;
};

template <class Replace>
[[nodiscard]] ir::stmt walk_warps(ir::stmt const& s, kernel_scope const& of, Replace const& replace) {
  return warp_walk<Replace>(of, replace).rewrite(s);
}

}}}  // namespace ttune::v0::lowering
