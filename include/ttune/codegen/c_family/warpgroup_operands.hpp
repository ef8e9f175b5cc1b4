// SPDX-License-Identifier: Apache-2.0
// The layout of a warpgroup product's operands in lines (core/warpgroup_product.hpp), and the tiles of 64 rows that
// virtual threads stand for.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/matrix_tile.hpp"
#include "ttune/codegen/lane_linear.hpp"
#include "ttune/core/warpgroup_product.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Products that four warps compute: virtual threads, repetitions of their instructions, columns and terms.
struct warpgroup_tile {
  explicit warpgroup_tile(ir::matrix_multiply const& m)
      : virtuals(m.loops.front()),
        steps(m.loops.begin() + 1, m.loops.end() - 2),
        columns(m.loops[m.loops.size() - 2]),
        terms(m.loops.back()),
        sum(m.sum),
        left(left_of(m)),
        right(right_of(m)) {}

  ir::loop const& virtuals;
  std::vector<ir::loop> steps;  ///< repetitions, the outermost first
  ir::loop const& columns;
  ir::loop const& terms;
  ir::store const& sum;
  matrix_operand left;
  matrix_operand right;
};

/// The layout of an operand in lines of 64 elements; positions and distances are in elements, before the swizzle.
struct operand_lines {
  lane_linear first;  ///< position for the first virtual thread, without the parts that depend on the thread's number
  /// Rows or columns are contiguous, not terms.
  bool across = false;
  std::int64_t block_step = 0;  ///< `across`: distance between blocks of 64 columns if an instruction has several
  /// Distance of each virtual thread from the first one.
  std::vector<std::int64_t> steps;

  [[nodiscard]] std::int64_t row_step() const { return across ? 1 : warpgroup_product::line; }
  [[nodiscard]] std::int64_t term_step() const { return across ? warpgroup_product::line : 1; }
  /// Returns the distance of rows or columns that are 8 * n apart.
  [[nodiscard]] std::int64_t distance_of_eights(std::int64_t n) const {
    constexpr std::int64_t of_line = warpgroup_product::line / warpgroup_product::core;
    if (!across) return n * warpgroup_product::eight_lines;
    return n / of_line * block_step + n % of_line * warpgroup_product::core;
  }
  /// Returns true if an instruction may begin at this position: where eight lines begin, or some terms further.
  [[nodiscard]] bool may_begin_at(std::int64_t position) const {
    auto const in_lines = floor_modulo(position, warpgroup_product::eight_lines);
    return across ? in_lines == 0 : in_lines < warpgroup_product::line && in_lines % warpgroup_product::terms == 0;
  }
};

/// One instruction's part of the sums.
struct rows_of_64 {
  std::int64_t left = 0;  ///< start in the operands, relative to the first virtual thread
  std::int64_t right = 0;
  std::vector<std::int64_t> threads;  ///< virtual threads in the instruction's order of sums
  [[nodiscard]] int columns() const {
    return static_cast<int>(threads.size()) / warpgroup_product::thread_rows * warpgroup_product::core;
  }
};

/// Returns the coefficient of a name in a linear form.
[[nodiscard]] inline std::int64_t coefficient_of(lane_linear const& l, std::string const& name) {
  for (auto const& t : l.terms)
    if (t.value == name) return t.coefficient;
  return 0;
}

/// Sets the distance between blocks of 64 columns; `refuse(why)` throws if columns do not follow each other.
template <class Refuse>
void set_block_step(operand_lines& right, std::set<std::int64_t> const& columns, Refuse const& refuse) {
  constexpr std::int64_t of_line = warpgroup_product::line / warpgroup_product::core;
  auto const begin = *columns.begin();
  if (static_cast<std::int64_t>(columns.size()) > of_line)
    right.block_step = *std::next(columns.begin(), of_line) - begin;
  std::int64_t n = 0;
  for (auto const column : columns)
    if (column != begin + right.distance_of_eights(n++) || right.block_step % warpgroup_product::eight_lines != 0)
      refuse("columns do not follow each other");
}

/// Returns the rows and columns of each virtual thread: tiles of 64 rows, in each of them groups of 8 columns, the
/// upper rows first. Sets `right.block_step`. Throws backend_error if virtual threads do not form such tiles.
[[nodiscard]] inline std::vector<rows_of_64> order_virtual_threads(warpgroup_tile const& t, operand_lines const& left,
                                                                   operand_lines& right, c_dialect const& dialect) {
  auto const refuse = [&](std::string const& why) {
    refuse_tile(dialect.name(), t.columns.variable,
                "virtual threads do not stand for all rows 8 apart and all columns 8 apart: " + why);
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> thread_at;  // by the steps of both operands
  std::set<std::int64_t> rows;
  std::set<std::int64_t> columns;
  for (std::size_t i = 0; i < left.steps.size(); ++i) {
    thread_at[{left.steps[i], right.steps[i]}] = ir::constant_integer(t.virtuals.begin) + static_cast<std::int64_t>(i);
    rows.insert(left.steps[i]);
    columns.insert(right.steps[i]);
  }
  if (thread_at.size() != left.steps.size() || thread_at.size() != rows.size() * columns.size())
    refuse("some have the same ones, or not all of them");
  if (static_cast<std::int64_t>(columns.size()) * warpgroup_product::core > warpgroup_product::most_columns)
    refuse("they have more than 256 columns, choose smaller parts");
  set_block_step(right, columns, refuse);
  std::vector<rows_of_64> tiles;
  while (!rows.empty()) {
    auto& made = tiles.emplace_back();
    made.left = *rows.begin();
    made.right = *columns.begin();
    std::int64_t const halves[] = {made.left, made.left + left.distance_of_eights(1)};
    for (auto const half : halves)
      if (rows.erase(half) == 0) refuse("rows that are 8 further than others are missing");
    for (auto const column : columns)
      for (auto const half : halves) made.threads.push_back(thread_at.at({half, column}));
  }
  return tiles;
}

}}}}  // namespace ttune::v0::codegen::c_family
