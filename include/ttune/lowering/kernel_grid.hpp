// SPDX-License-Identifier: Apache-2.0
// The blocks and threads that a kernel is launched with, found by the bounds of its loops over them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

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
  int spacing = 1;  ///< only every spacing-th block works (c_family/kernel_grid.hpp)

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
  grid_measurement(std::string language, arith::ranges known)
      : language_(std::move(language)), known_(std::move(known)) {}

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
      throw backend_error(language_ + ": the number of blocks or threads of loop " + l.variable + " is not known");
    if (low.low >= high.high) return;
    auto& span = grid_.spans[static_cast<std::size_t>(direction_of(l.kind))];
    span.begin = span.used ? std::min(span.begin, low.low) : low.low;
    span.end = span.used ? std::max(span.end, high.high) : high.high;
    span.used = true;
  }

  std::string language_;
  arith::ranges known_;
  kernel_grid grid_;
};

/// Returns the grid of a kernel in a language with threads. `known`: ranges of the variables around the kernel. Throws
/// backend_error if a number of blocks or threads is not known.
[[nodiscard]] inline kernel_grid measure_grid(ir::stmt const& body, arith::ranges const& known,
                                              std::string const& language) {
  return grid_measurement(language, known).measure(body);
}

}}}  // namespace ttune::v0::lowering
