// SPDX-License-Identifier: Apache-2.0
// The schedule of a reduction with a vectorisable free axis: matrix products, convolutions, pooling, stencils.
//
//   parallel a0 b0 …                 the tasks
//     for a1 b1 …                    in an order that is a knob
//       [pack the operands here or further out]
//       registers acc[row tile, vector tile]
//       for k: unroll row, vectorize v: acc += …
//       store the tile, with what is fused behind the reduction
//
// In measurements over tile shapes and packings this structure reached 0.95–1.0 of the FMA peak.
// The parts: contraction_axes.hpp (facts about the axes), contraction_tile.hpp (the register tile), reduced_order.hpp
// (the order of the reduced loops), contraction_tasks.hpp (tiles among tasks), packing.hpp (copies of operands).
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/blocks.hpp"
#include "ttune/autoschedule/cpu/contraction_axes.hpp"
#include "ttune/autoschedule/cpu/contraction_tasks.hpp"
#include "ttune/autoschedule/cpu/contraction_tile.hpp"
#include "ttune/autoschedule/cpu/packing.hpp"
#include "ttune/autoschedule/cpu/panels.hpp"
#include "ttune/autoschedule/cpu/reduced_order.hpp"
#include "ttune/autoschedule/cpu/term_blocks.hpp"
#include "ttune/autoschedule/cpu/tile_products.hpp"
#include "ttune/autoschedule/dot_pattern.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class contraction {
 public:
  /// `reader` stores what `reduction` accumulates; both have the same free axes. Only names, because stages may be new.
  contraction(space_builder& out, plan const& p, stage_plan const& reduction, std::string reader_name,
              std::string reduction_name, stage_plan const& reader, block_axis blocks = {}, part_at_once part = {})
      : out_(out),
        reader_(std::move(reader_name)),
        acc_(std::move(reduction_name)),
        blocks_(std::move(blocks)),
        part_(std::move(part)),
        axes_(out.machine(), p, reduction, reader),
        dot_(choose_dot()) {}

  void write() {
    tile_ = dot_.are_in_tiles() ? tile_product_choice(out_, axes_, dot_, reader_).choose()
                                : contraction_tile_choice(out_, axes_, dot_, reader_, part_).choose();
    reduced_ = reduced_order_choice(axes_, dot_.axis, tile_.leaves_tail).choose();
    blocked_ = choose_term_blocks();
    split_reader();
    if (blocked_) sum_blocks_of_terms();
    place_accumulators();
    operand_packing(out_, axes_.p, axes_.reduction, tiled()).write();
  }

 private:
  [[nodiscard]] contraction_tasks tasks() const { return {out_.machine(), axes_, dot_, tile_, !blocks_.name.empty()}; }
  [[nodiscard]] tiled_reduction tiled() const {
    return {.reader = reader_,
            .accumulators = acc_,
            .panel_stage = blocked_ ? around_[0] : reader_,
            .panel_loop = (blocked_ ? axes_.name(axes_.vectors) : axes_.reader_axis(axes_.vectors)) + "_1",
            .blocked = blocked_ ? axes_.name(blocked_.axis) : std::string(),
            .vector_axis = axes_.vectors,
            .vector_tile = tile_.vectors,
            .rolled = reduced_.rolled,
            .windows = reduced_.windows,
            .dot = dot_,
            .lanes = axes_.lanes,
            .tasks = tasks_of_panel_,
            .task_loop = keeps_panels_ ? task_ : std::string(),
            .row_axis = axes_.rows,
            .row_loop = axes_.rows < 0 ? std::string() : axes_.reader_axis(axes_.rows) + "_1",
            .for_a_block = !blocks_.name.empty() && !blocks_.is_last};
  }
  [[nodiscard]] std::string knob_name(std::string const& what) const { return reader_ + "." + what; }

  /// Returns the reduced axis for dot products of the machine, if there is one and the operand in vectors can be laid
  /// out for it.
  [[nodiscard]] dot_terms choose_dot() const { return in_tiles(choose_dot_of_vectors(), out_.machine(), axes_); }
  [[nodiscard]] dot_terms choose_dot_of_vectors() const {
    auto const found =
        find_dot_terms(out_.machine(), axes_.p, axes_.reduction, static_cast<std::size_t>(axes_.vectors));
    if (!found) return {};
    auto const& a = axes_.reduction.accesses[found.in_vectors];
    auto const unrolled =
        reduced_order_choice(axes_, found.axis, true).choose().windows;  // they are in no loop over terms
    if (std::find(unrolled.begin(), unrolled.end(), found.axis) != unrolled.end()) return {};
    if (is_guarded(axes_.reduction, static_cast<std::size_t>(found.axis))) return {};
    if (found.slides()) return found;
    if (!starts_at_zero(axes_.reduction)) return {};
    if (is_laid_out_ahead(axes_.p, axes_.reduction, a)) return found;
    if (!is_packable(axes_.p, axes_.reduction, a, axes_.vectors) ||
        (!is_constant_operand(axes_.p, a) && !has_reuse(axes_.p, axes_.reduction, a)))
      return {};
    return found;
  }

  // --------------------------------------------------------------------------------------------------- reader

  /// The reader's loops that split_axis made.
  struct reader_loops {
    std::vector<std::string> tasks;
    std::vector<std::string> middle;  ///< over the tiles of a task
    std::vector<std::string> turns;   ///< over the phases of axes without a tile
  };

  void split_reader() {
    auto const division = tasks();
    auto const axes = division.ordered_axes();
    auto const parallel = division.parallel_axis(axes);
    auto const kept = division.axis_kept_on_cores();
    reader_loops loops;
    keeps_panels_ = keeps_panels(kept, parallel);
    for (auto const a : axes) split_axis(a, a == kept, a == parallel, loops);
    if (keeps_panels_) {  // tiles of rows are read once, and use all panels
      auto const panel = std::find(loops.middle.begin(), loops.middle.end(), axes_.reader_axis(axes_.vectors) + "_1");
      std::rotate(panel, panel + 1, loops.middle.end());
    }
    order_reader(loops);
    if (!blocked_) permute(reader_, loops.middle);
    bool const fuses = loops.tasks.size() > 1 && !blocks_.is_last;
    if (fuses) out_.step(primitive::fuse, reader_, loops.tasks, {"tasks"});
    task_ = fuses ? "tasks" : loops.tasks[0];
    out_.step(primitive::parallel, reader_, {task_});
    bool const across = axes_.rows_contiguous();
    auto const vector_loop = axes_.reader_axis(axes_.vectors) + "_2";
    out_.step(primitive::vectorize, reader_, {across ? axes_.reader_axis(axes_.rows) + "_2" : vector_loop});
    for (auto const& n : loops.turns) out_.step(primitive::unroll, reader_, {n});
    if (axes_.rows >= 0)
      out_.step(primitive::unroll, reader_, {across ? vector_loop : axes_.reader_axis(axes_.rows) + "_2"});
  }

  /// Returns the tiles to choose from for a task along an axis; with `shares`, each core may get one share of it.
  [[nodiscard]] std::vector<std::int32_t> chunks(std::int32_t a, bool shares) const {
    auto sizes = doublings(ceil_divide(axes_.size(a), a == axes_.vectors ? axes_.lanes : 1));
    if (shares) sizes.push_back(static_cast<std::int32_t>(share_of(a)));
    return sizes;
  }
  [[nodiscard]] std::int64_t share_of(std::int32_t a) const {
    return ceil_divide(tasks().tiles(a), static_cast<std::int64_t>(out_.machine().cores));
  }
  [[nodiscard]] std::int64_t seed_chunk(std::int32_t a, bool shares, bool is_parallel) const {
    if (shares) return share_of(a);
    if (a == axes_.vectors && !is_parallel && dot_.are_in_tiles()) return chunk_of_panels(chunks(a, false));
    if (is_parallel) return tasks().parallel_chunk(a, chunks(a, false));
    return is_open(a) ? chunk_of_open(a) : chunks(a, false).back();
  }
  [[nodiscard]] bool is_open(std::int32_t a) const {
    return !axes_.reduction.axis_end(static_cast<std::size_t>(a)).is_constant();
  }
  /// Returns the largest chunk that leaves a task for each core: in a call, the other axes may be too short for that.
  [[nodiscard]] std::int64_t chunk_of_open(std::int32_t a) const {
    std::int64_t chosen = 1;
    for (auto const chunk : chunks(a, false))
      if (ceil_divide(tasks().tiles(a), static_cast<std::int64_t>(chunk)) >= out_.machine().cores) chosen = chunk;
    return chosen;
  }

  /// Returns the largest chunk of panels of tiles that stays in half of the second-level cache.
  [[nodiscard]] std::int64_t chunk_of_panels(std::vector<std::int32_t> sizes) const {
    while (sizes.size() > 1 &&
           bytes_of_right_tiles(axes_, dot_, sizes.back() * tile_.seed_vectors) > out_.machine().l2_bytes / 2)
      sizes.pop_back();
    return sizes.back();
  }
  /// Returns true if the panels of a task stay in half of the second-level cache. They are then made before the loops
  /// of the task, whose tiles of rows use one after the other.
  [[nodiscard]] bool keeps_panels(std::int32_t kept, std::int32_t parallel) const {
    if (axes_.rows < 0 || (dot_ && !dot_.are_in_tiles()) || blocked_ || !blocks_.name.empty() || !part_.axis.empty())
      return false;
    if (axes_.phases(axes_.vectors) > 1 || axes_.phases(axes_.rows) > 1) return false;
    auto const v = axes_.vectors;
    auto const chunk = std::min(seed_chunk(v, v == kept, v == parallel), tasks().tiles(v));
    auto const columns = chunk * tile_.seed_vectors;
    auto const bytes = dot_.are_in_tiles() ? bytes_of_right_tiles(axes_, dot_, columns)
                                           : bytes_of_panels(axes_.p, axes_.reduction, v, columns);
    return chunk > 1 && bytes > 0 && bytes <= out_.machine().l2_bytes / 2;
  }

  /// Splits an axis of the reader into tasks, their tiles and what is in a tile. `shares`: each core gets one share of
  /// the axis; `is_parallel`: the seed divides it among threads.
  void split_axis(std::int32_t a, bool shares, bool is_parallel, reader_loops& loops) {
    auto const division = tasks();
    auto const n = axes_.reader_axis(a);
    auto const count = division.tiles(a);
    auto const seed = seed_chunk(a, shares, is_parallel);
    auto sizes = chunks(a, shares);
    if (std::find(sizes.begin(), sizes.end(), seed) == sizes.end())
      sizes.insert(std::upper_bound(sizes.begin(), sizes.end(), seed), static_cast<std::int32_t>(seed));
    if (a != axes_.vectors) tasks_of_panel_ *= ceil_divide(count, std::min(seed, count));
    auto const chunk = n == blocks_.name ? block_of(a, sizes) : out_.one_of(knob_name("chunk_" + n), sizes, seed);
    bool const outermost = shares || (n == blocks_.name && blocks_.is_last);
    loops.tasks.insert(outermost ? loops.tasks.begin() : loops.tasks.end(), n + "_0");
    loops.middle.push_back(n + "_1");
    if (a == axes_.vectors)
      out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1", n + "_t", n + "_2"},
                {chunk, literal(1), tile_.vectors});
    else if (a == axes_.rows)
      out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1", n + "_2"}, {chunk, tile_.rows});
    else if (auto const period = axes_.phases(a); period > 1) {
      out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1", n + "_p"}, {chunk, literal(period)});
      loops.turns.push_back(n + "_p");
    } else out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1"}, {chunk});
  }

  /// Orders the reader's loops: tasks, tiles, phases, and the rows and vectors of a tile as the result has them.
  void order_reader(reader_loops const& loops) {
    auto const vn = axes_.reader_axis(axes_.vectors);
    auto order = unit_axes(axes_.reader);
    for (auto const& some : {loops.tasks, loops.middle, loops.turns})
      order.insert(order.end(), some.begin(), some.end());
    order.push_back(vn + "_t");
    if (axes_.rows >= 0 && !axes_.rows_contiguous()) order.push_back(axes_.reader_axis(axes_.rows) + "_2");
    order.push_back(vn + "_2");
    if (axes_.rows >= 0 && axes_.rows_contiguous()) order.push_back(axes_.reader_axis(axes_.rows) + "_2");
    out_.step(primitive::reorder, reader_, order);
  }

  /// Makes the order of a stage's loops over tiles a knob.
  void permute(std::string const& stage, std::vector<std::string> const& middle) {
    if (middle.size() > 1 && middle.size() <= 4)
      out_.step(primitive::reorder, stage, middle, {},
                {out_.permutation(knob_name("order"), static_cast<std::int32_t>(middle.size()))});
  }

  /// Returns the number of tiles in a block of the common axis; a stage before the last is computed for one block.
  [[nodiscard]] knob_value block_of(std::int32_t a, std::vector<std::int32_t> const& sizes) {
    auto const tile = a == axes_.vectors ? tile_.seed_vectors : a == axes_.rows ? tile_.seed_rows : 1;
    auto const seed = std::max<std::int64_t>(1, blocks_.seed / tile);
    if (!blocks_.is_last) return literal(std::min(seed, tasks().tiles(a)));
    return out_.one_of(knob_name("block_" + axes_.reader_axis(a)), sizes, seed);
  }

  // ------------------------------------------------------------------------------------------ blocks of terms

  /// Returns the blocks of terms; nothing if the panels of all terms are small enough, or there are none.
  [[nodiscard]] term_blocks choose_term_blocks() const {
    bool const has_phases = axes_.phases(axes_.vectors) > 1 || (axes_.rows >= 0 && axes_.phases(axes_.rows) > 1);
    if (dot_ || has_phases || !blocks_.name.empty() || !part_.axis.empty() || axes_.rows < 0) return {};
    return blocks_of_terms(out_.machine(), axes_.p, axes_.reduction, axes_.vectors,
                           std::min(tile_.seed_vectors, axes_.size(axes_.vectors)), reduced_.rolled);
  }

  /// Adds the sums of blocks of terms in a buffer of the task. The tiles are computed for one block after the other, so
  /// that its panel stays in the cache.
  void sum_blocks_of_terms() {
    auto const run = axes_.name(blocked_.axis) + "_run";
    auto const total = std::exchange(acc_, acc_ + ".runs");
    auto const v = axes_.name(axes_.vectors);
    out_.step(primitive::rfactor, total, {axes_.name(blocked_.axis)}, {acc_, run}, {literal(-blocked_.count)});
    out_.step(primitive::compute_at, total, {reader_, task_});
    out_.step(primitive::split, total, {v}, {v + "_1", v + "_t", v + "_2"}, {literal(1), tile_.vectors});
    std::vector<std::string> middle;
    for (auto const a : tasks().ordered_axes())
      middle.push_back(axes_.name(a) + (a == axes_.vectors || a == axes_.rows ? "_1" : ""));
    std::vector<std::string> order = unit_axes(axes_.reduction);
    order.push_back(run);
    order.insert(order.end(), middle.begin(), middle.end());
    order.push_back(v + "_t");
    out_.step(primitive::split, total, {axes_.name(axes_.rows)},
              {axes_.name(axes_.rows) + "_1", axes_.name(axes_.rows) + "_2"}, {tile_.rows});
    order.push_back(axes_.name(axes_.rows) + "_2");
    order.push_back(v + "_2");
    out_.step(primitive::reorder, total, order);
    permute(total, middle);
    out_.step(primitive::unroll, total, {axes_.name(axes_.rows) + "_2"});
    out_.step(primitive::vectorize, total, {v + "_2"});
    out_.step(primitive::pack, total, {});
    around_ = {total, v + "_t"};
  }

  // --------------------------------------------------------------------------------------------- accumulators

  /// Places the accumulators in a tile of the reader, or of the sum of blocks, and orders and unrolls their loops.
  void place_accumulators() {
    out_.step(primitive::compute_at, acc_,
              around_.empty() ? std::vector{reader_, axes_.reader_axis(axes_.vectors) + "_t"} : around_);
    auto const memory = dot_.are_in_tiles() ? ir::memory::local : ir::memory::registers;
    out_.step(primitive::store_in, acc_, {}, {}, {literal(static_cast<int>(memory))});
    std::vector<std::string> order;
    for (std::int32_t a = 0; a < axes_.free_axes(); ++a)
      if (a != axes_.vectors && a != axes_.rows) order.push_back(axes_.name(a));  // these have one element
    for (auto a = axes_.free_axes(); dot_ && a < axes_.all_axes(); ++a)
      if (axes_.size(a) == 1) order.push_back(axes_.name(a));  // not inside of the terms, which must be innermost
    for (auto const a : reduced_.rolled) roll(a, order);
    if (dot_.are_in_tiles()) return place_tiles(order);
    auto const tile = unroll_tile();
    auto const turns = axes_.phases(axes_.vectors);
    auto const lanes_loop = axes_.name(axes_.vectors) + (turns > 1 ? "_o" : "");
    order.insert(order.end(), tile.begin(), tile.end());
    order.push_back(lanes_loop);
    if (dot_) order.push_back(axes_.name(dot_.axis) + "_t");
    out_.step(primitive::reorder, acc_, order);
    auto const& reduction = axes_.reduction.definition->reduction;
    bool const any_order = reduced_.windows.size() < 2 || (reduction.associative && reduction.commutative);
    if (!reduced_.windows.empty() && turns == 1 && tile.size() > 1 && any_order)
      out_.step(primitive::reorder, acc_, {tile[tile.size() - 2], tile.back()}, {},
                {out_.permutation(knob_name("tap_order"), 2)});
    out_.step(primitive::vectorize, acc_, {lanes_loop});
    if (dot_) out_.step(primitive::tensorize, acc_, {axes_.name(dot_.axis) + "_t"});
  }

  /// Unrolls windows and groups of tiles inside of the loops in `order`, and makes the innermost loops those of a tile.
  void place_tiles(std::vector<std::string> order) {
    for (auto const a : reduced_.windows) {
      order.push_back(axes_.name(a));
      out_.step(primitive::unroll, acc_, {axes_.name(a)});
    }
    auto const rows = axes_.name(axes_.rows);
    auto const columns = axes_.name(axes_.vectors);
    out_.step(primitive::split, acc_, {rows}, {rows + "_g", rows + "_r"}, {literal(dot_.tile_rows)});
    out_.step(primitive::split, acc_, {columns}, {columns + "_g", columns + "_c"}, {literal(tile_product::columns)});
    std::vector<std::string> const tile = {rows + "_r", columns + "_c", axes_.name(dot_.axis) + "_t"};
    order.push_back(rows + "_g");
    order.push_back(columns + "_g");
    order.insert(order.end(), tile.begin(), tile.end());
    out_.step(primitive::reorder, acc_, order);
    out_.step(primitive::unroll, acc_, {rows + "_g"});
    out_.step(primitive::unroll, acc_, {columns + "_g"});
    out_.step(primitive::tensorize, acc_, tile);
  }

  /// Appends the loops over a reduced axis to `order`. Some terms of the innermost axis may be unrolled.
  void roll(std::int32_t a, std::vector<std::string>& order) {
    auto const n = axes_.name(a);
    bool const has_dots = a == dot_.axis;
    if (!has_dots && (a != reduced_.rolled.back() || !reduced_.windows.empty() || axes_.size(a) < 16))
      return order.push_back(n);
    bool const is_long = axes_.size(a) >= 16 * (has_dots ? dot_.at_once() : 1);
    auto const factor = is_long ? out_.one_of(knob_name("unroll_" + n), {1, 2, 4}, 1) : literal(1);
    if (has_dots)
      out_.step(primitive::split, acc_, {n}, {n + "_0", n + "_1", n + "_t"}, {factor, literal(dot_.at_once())});
    else out_.step(primitive::split, acc_, {n}, {n + "_0", n + "_1"}, {factor});
    out_.step(primitive::unroll, acc_, {n + "_1"});
    order.push_back(n + "_0");
    order.push_back(n + "_1");
  }

  /// Unrolls the loops inside of the reduced ones: taps of windows, rows, phases of the vector axis. Returns them.
  [[nodiscard]] std::vector<std::string> unroll_tile() {
    std::vector<std::string> tile;
    for (auto const a : reduced_.windows)
      tile.push_back(axes_.name(a)), out_.step(primitive::unroll, acc_, {axes_.name(a)});
    if (axes_.rows >= 0)
      tile.push_back(axes_.name(axes_.rows)), out_.step(primitive::unroll, acc_, {axes_.name(axes_.rows)});
    if (auto const turns = axes_.phases(axes_.vectors); turns > 1) {
      out_.step(primitive::split, acc_, {axes_.name(axes_.vectors)},
                {axes_.name(axes_.vectors) + "_o", axes_.name(axes_.vectors) + "_p"}, {literal(turns)});
      out_.step(primitive::unroll, acc_, {axes_.name(axes_.vectors) + "_p"});
      tile.push_back(axes_.name(axes_.vectors) + "_p");
    }
    return tile;
  }

  space_builder& out_;
  std::string reader_;
  std::string acc_;
  block_axis blocks_;
  part_at_once part_;
  contraction_axes axes_;
  dot_terms dot_;
  contraction_tile tile_;
  reduced_order reduced_;
  term_blocks blocked_;
  bool keeps_panels_ = false;        ///< the panels of a task are made before its loops
  std::int64_t tasks_of_panel_ = 1;  ///< tasks of the seed with the same elements of the vector axis
  std::string task_;                 ///< the reader's loop over tasks
  std::vector<std::string> around_;  ///< if there are blocks of terms: the sum of them, and its loop around one
};

}}}  // namespace ttune::v0::autoschedule
