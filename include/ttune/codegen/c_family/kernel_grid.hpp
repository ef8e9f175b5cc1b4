// SPDX-License-Identifier: Apache-2.0
// The blocks and threads that a kernel is launched with, and the text of their numbers.
#pragma once

#include <string>

#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/core/target.hpp"
#include "ttune/lowering/kernel_grid.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

using lowering::direction_of;
using lowering::kernel_grid;

/// Returns true for blocks of one thread on a CPU.
[[nodiscard]] inline bool is_for_tasks(ir::stmt const& body, kernel_grid const& grid, target const& machine) {
  return !machine.is_gpu() && grid.has_one_thread() && !has_barrier(body);
}

/// Returns the spacing of working blocks. A CPU device with few blocks of one thread gets idle blocks between them, so
/// that each core gets some working ones.
[[nodiscard]] inline int spacing_of_blocks(ir::stmt const& body, kernel_grid const& grid, target const& machine,
                                           c_dialect const& dialect) {
  bool const few = grid.size(0) > 1 && grid.size(1) * grid.size(2) == 1 &&
                   grid.size(0) < 2 * dialect.blocks_at_a_time() * machine.cores;
  return machine.cores > 1 && few && is_for_tasks(body, grid, machine) ? dialect.blocks_at_a_time() : 1;
}

/// Returns a kernel's grid; in a language without threads, it is one thread.
[[nodiscard]] inline kernel_grid measure_grid(ir::stmt const& body, arith::ranges const& known, target const& machine,
                                              c_dialect const& dialect) {
  kernel_grid grid;
  if (dialect.has_threads()) grid = lowering::measure_grid(body, known, dialect.name());
  grid.spacing = spacing_of_blocks(body, grid, machine, dialect);
  return grid;
}

/// Returns the text of a block's or a thread's number in a direction.
[[nodiscard]] inline std::string number_in(int direction, kernel_grid const& grid, c_dialect const& dialect) {
  if (direction >= kernel_grid::thread_x) return dialect.thread_id(direction - kernel_grid::thread_x);
  if (direction != 0 || grid.spacing == 1) return dialect.block_id(direction);
  return "(" + dialect.block_id(0) + " / " + std::to_string(grid.spacing) + ")";
}

}}}}  // namespace ttune::v0::codegen::c_family
