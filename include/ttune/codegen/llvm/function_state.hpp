// SPDX-License-Identifier: Apache-2.0
// The state at the place where code is being written: the lanes, which of them run, and the loop variables.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttune/codegen/lane_decisions.hpp"
#include "ttune/codegen/lane_linear.hpp"
#include "ttune/codegen/llvm/known_ranges.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Thrown where lanes would have to take different branches. The module is then emitted again with the current
/// vectorised loop unrolled instead. This is rare, and nothing has to be undone.
struct needs_scalar {};

/// Returns a vector constant with the flags of lanes.
[[nodiscard]] inline std::string mask_literal(lane_mask const& flags) {
  std::string text = "<";
  for (std::size_t i = 0; i < flags.size(); ++i)
    text += std::string(i != 0 ? ", " : "") + (flags[i] ? "i1 true" : "i1 false");
  return text + ">";
}

/// Statement emitters change it when they enter and leave loops and conditions; all others read it.
struct function_state {
  int lanes = 1;                            ///< lanes of the vectorised loop around this place; 1 outside of such loops
  lane_mask mask;                           ///< the lanes that run; empty if all do
  lane_mask chunk_mask;                     ///< mask of the vectorised loop, without the conditions inside of it
  std::string run_time_mask;                ///< which of these lanes run, as a vector of i1; empty if all do
  std::set<std::string> variables_of_mask;  ///< the variables in the conditions of that mask
  ir::loop const* vector_loop = nullptr;    ///< the vectorised loop
  bool in_task = false;                     ///< true in the body of a parallel loop
  std::unordered_map<std::string, lane_linear> variables;  ///< by name
  known_ranges known;                                      ///< of these variables, and of what depends on them

  /// Gives a variable a value that is known during emission.
  void set_variable(std::string const& name, std::int64_t number) {
    lane_linear at;
    at.constant = number;
    variables[name] = at;
  }

  [[nodiscard]] bool runs(int lane) const { return mask.empty() || mask[static_cast<std::size_t>(lane)]; }

  /// Returns true if one of these lanes runs.
  [[nodiscard]] bool any_runs_in(lane_mask const& some) const {
    for (std::size_t i = 0; i < some.size(); ++i)
      if (some[i] && runs(static_cast<int>(i))) return true;
    return false;
  }

  /// Returns true if some lanes do not run.
  [[nodiscard]] bool is_masked() const { return !mask.empty() || !run_time_mask.empty(); }

  /// Returns the lanes of a mask that run.
  [[nodiscard]] lane_mask running_in(lane_mask some) const {
    if (!mask.empty())
      for (std::size_t i = 0; i < some.size(); ++i) some[i] = some[i] && mask[i];
    return some;
  }

  /// Returns the number of running lanes if they are the first ones; 0 if they are others.
  [[nodiscard]] int first_running_lanes() const {
    int count = 0;
    while (count < lanes && runs(count)) ++count;
    for (int lane = count; lane < lanes; ++lane)
      if (runs(lane)) return 0;
    return count;
  }

  /// Returns the running lanes as groups of neighbours: the first lane, and the size, a power of two.
  [[nodiscard]] std::vector<std::pair<int, int>> running_pieces() const {
    std::vector<std::pair<int, int>> pieces;
    for (int lane = 0; lane < lanes;) {
      int count = 0;
      while (lane + count < lanes && runs(lane + count)) ++count;
      for (int part = lanes; part > 0; part /= 2)
        while (count >= part) {
          pieces.emplace_back(lane, part);
          lane += part;
          count -= part;
        }
      ++lane;
    }
    return pieces;
  }

  /// Returns the mask as a vector constant, for vectors of so many lanes.
  [[nodiscard]] std::string mask_text(int of_lanes) const {
    lane_mask flags;
    for (int i = 0; i < of_lanes; ++i) flags.push_back(runs(i));
    return mask_literal(flags);
  }
};

}}}}  // namespace ttune::v0::codegen::llvm
