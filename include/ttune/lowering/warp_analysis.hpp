// SPDX-License-Identifier: Apache-2.0
// Finds the values and the control flow that differ between the threads of a warp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/lowering/kernel_grid.hpp"
#include "ttune/lowering/lanes.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Follows the statements that surround the current one. In: loops over threads, lets, and conditions that are entered
/// and left. Out: expressions in terms of warp and lane, and whether the threads of a warp are together. Without warps,
/// nothing differs.
class warp_analysis {
 public:
  warp_analysis(bool has_warps, kernel_grid const& grid, arith::ranges const& known)
      : has_warps_(has_warps), grid_(grid), known_(known) {}

  /// Records a loop over threads. Threads in direction x are lanes, 32 per warp, if they are numbered from 0 and the
  /// block has no other direction.
  void enter_threads(ir::loop const& l, int direction);
  void leave_threads(ir::loop const& l);
  void enter_let(ir::let const& l);
  void leave_let(ir::let const& l);
  /// Records a condition or loop in which the threads of a warp diverge, if they do.
  void enter_divergence(bool diverges) { divergence_depth_ += diverges ? 1 : 0; }
  void leave_divergence(bool diverges) { divergence_depth_ -= diverges ? 1 : 0; }

  /// Returns an expression with threads' numbers replaced by warp and lane (lanes.hpp).
  [[nodiscard]] ir::expr by_lanes(ir::expr const& e) const;
  [[nodiscard]] std::vector<ir::expr> by_lanes(std::vector<ir::expr> const& indices) const;
  /// Returns an expression with lets replaced that differ between warps only.
  [[nodiscard]] ir::expr with_values_of_warps(ir::expr const& e) const {
    return arith::substitute(e, values_of_warps_);
  }
  /// Returns true if an expression may have different values in the threads of a warp.
  [[nodiscard]] bool differs_in_warp(ir::expr const& e) const;
  /// Returns true if all threads of a warp execute the current statement together.
  [[nodiscard]] bool is_together() const noexcept { return divergence_depth_ == 0; }
  /// Returns true if a loop whose iterations are lanes surrounds the current statement.
  [[nodiscard]] bool has_lanes() const noexcept { return !lane_loops_.empty(); }

 private:
  bool has_warps_;
  kernel_grid const& grid_;
  arith::ranges const& known_;        ///< of the variables in scope
  std::set<std::string> lane_loops_;  ///< variables whose iterations are the lanes of warps
  /// Variables of other loops over threads, and lets that differ between lanes.
  arith::substitution values_of_lanes_;
  arith::substitution values_of_warps_;  ///< lets that differ between warps only
  int divergence_depth_ = 0;  ///< number of surrounding conditions and loops in which the threads of a warp diverge
};

inline ir::expr warp_analysis::by_lanes(ir::expr const& e) const {
  if (values_of_lanes_.empty() && lane_loops_.empty()) return e;
  auto known = known_;
  known[lane_variable::warp] = {0, grid_.warps() - 1};
  known[lane_variable::row] = {0, matrix_product::lanes_of_rows - 1};
  known[lane_variable::column] = known[lane_variable::owner] = {0, matrix_product::lanes_of_columns - 1};
  known[lane_variable::part] = {0, matrix_product::thread_columns - 1};
  auto made = e;
  for (auto const& name : lane_loops_) made = thread_by_lanes(made, name);
  return arith::simplify(arith::substitute(made, values_of_lanes_), known);
}

inline std::vector<ir::expr> warp_analysis::by_lanes(std::vector<ir::expr> const& indices) const {
  std::vector<ir::expr> made;
  for (auto const& i : indices) made.push_back(by_lanes(i));
  return made;
}

inline bool warp_analysis::differs_in_warp(ir::expr const& e) const {
  if (!has_warps_) return false;
  return mentions(by_lanes(e), {lane_variable::row, lane_variable::column, lane_variable::others});
}

inline void warp_analysis::enter_let(ir::let const& l) {
  if (!has_warps_) return;
  auto const known = by_lanes(l.value);
  if (mentions(known, {lane_variable::row, lane_variable::column, lane_variable::others}))
    values_of_lanes_[l.variable] = known;
  else if (mentions(known, {lane_variable::warp})) values_of_warps_[l.variable] = known;
}
inline void warp_analysis::leave_let(ir::let const& l) {
  values_of_lanes_.erase(l.variable);
  values_of_warps_.erase(l.variable);
}

inline void warp_analysis::enter_threads(ir::loop const& l, int direction) {
  if (grid_.size(direction) == 1) return;
  if (direction == kernel_grid::thread_x && grid_[direction].begin == 0) lane_loops_.insert(l.variable);
  else values_of_lanes_[l.variable] = ir::make_variable(lane_variable::others);
}
inline void warp_analysis::leave_threads(ir::loop const& l) {
  lane_loops_.erase(l.variable);
  values_of_lanes_.erase(l.variable);
}

}}}  // namespace ttune::v0::lowering
