// SPDX-License-Identifier: Apache-2.0
// The blocks and threads that a kernel is launched with, found by the bounds of its loops over them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "ttune/arith/interval.hpp"
#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/statement_queries.hpp"
#include "ttune/core/target.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// The numbers of blocks and threads in each direction: blocks x, y and z, then threads x, y and z.
struct kernel_grid {
  static constexpr int directions = 6;
  static constexpr int thread_x = 3;
  /// The values of the variables of all loops over a direction.
  struct span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool used = false;
    [[nodiscard]] std::int64_t size() const noexcept { return used ? end - begin : 1; }
  };

  std::array<span, directions> spans;
  int spacing = 1;  ///< only every spacing-th block works

  [[nodiscard]] span const& operator[](int direction) const { return spans[static_cast<std::size_t>(direction)]; }
  [[nodiscard]] std::int64_t size(int direction) const { return (*this)[direction].size(); }
  [[nodiscard]] bool has_one_thread() const { return size(thread_x) * size(4) * size(5) == 1; }
  /// Returns true if threads are in direction x only, numbered from 0, and a multiple of `threads`.
  [[nodiscard]] bool has_rows_of(std::int64_t threads) const {
    return size(4) * size(5) == 1 && (*this)[thread_x].begin == 0 && size(thread_x) % threads == 0;
  }
  [[nodiscard]] std::int64_t warps() const { return std::max<std::int64_t>(size(thread_x) / 32, 1); }
};

/// Returns the direction of a loop over blocks or threads. Iterations of a parallel loop are blocks in direction x.
[[nodiscard]] inline int direction_of(ir::loop_kind k) {
  return k == ir::loop_kind::parallel ? 0 : static_cast<int>(k) - static_cast<int>(ir::loop_kind::block_x);
}

/// Finds a kernel's grid: each direction covers all loops over it. Parallel loops count outside of other such loops
/// only. Throws backend_error if bounds are not known.
class grid_measurement {
 public:
  grid_measurement(c_dialect const& dialect, arith::ranges known) : dialect_(dialect), known_(std::move(known)) {}

  [[nodiscard]] kernel_grid measure(ir::stmt const& body) {
    visit(body, false);
    return grid_;
  }

 private:
  void visit(ir::stmt const& s, bool inside_bound_loop) {
    if (!s) return;
    auto const visit_part = [&](ir::stmt const& part) { visit(part, inside_bound_loop); };
    if (auto const* n = ir::as<ir::block>(s))
      for (auto const& part : n->body) visit_part(part);
    if (auto const* n = ir::as<ir::allocate>(s)) visit_part(n->body);
    if (auto const* n = ir::as<ir::conditional>(s)) visit_part(n->then), visit_part(n->otherwise);
    if (auto const* n = ir::as<ir::let>(s)) {
      known_[n->variable] = {n->low, n->high - 1};
      visit_part(n->body);
    }
    if (auto const* n = ir::as<ir::loop>(s)) visit_loop(*n, inside_bound_loop);
  }

  void visit_loop(ir::loop const& l, bool inside_bound_loop) {
    auto const low = arith::bounds(l.begin, known_);
    auto const high = arith::bounds(l.end, known_);
    known_[l.variable] = {low.low, high.high - 1};
    bool const bound =
        is_block_loop(l.kind) || is_thread_loop(l.kind) || (l.kind == ir::loop_kind::parallel && !inside_bound_loop);
    if (bound) cover(l, low, high);
    visit(l.body, inside_bound_loop || bound);
  }

  void cover(ir::loop const& l, arith::interval low, arith::interval high) {
    if (!arith::is_bounded(low) || !arith::is_bounded(high))
      throw backend_error(std::string(dialect_.name()) + ": the number of blocks or threads of loop " + l.variable +
                          " is not known");
    if (low.low >= high.high) return;
    auto& span = grid_.spans[static_cast<std::size_t>(direction_of(l.kind))];
    span.begin = span.used ? std::min(span.begin, low.low) : low.low;
    span.end = span.used ? std::max(span.end, high.high) : high.high;
    span.used = true;
  }

  c_dialect const& dialect_;
  arith::ranges known_;
  kernel_grid grid_;
};

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
  if (dialect.has_threads()) grid = grid_measurement(dialect, known).measure(body);
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
