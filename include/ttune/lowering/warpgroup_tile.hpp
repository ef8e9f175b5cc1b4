// SPDX-License-Identifier: Apache-2.0
// Finds products of matrices that four warps compute by one instruction (core/warpgroup_product.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/core/matrix_product.hpp"
#include "ttune/core/warpgroup_product.hpp"
#include "ttune/ir/narrow_term.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/lowering/matrix_tile.hpp"
#include "ttune/lowering/warp_walk.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// Matches virtual threads and repetitions around two tensorized loops, over columns and terms; repetitions may be
/// around the virtual threads, inside of them, or both. In: the outermost of these loops, and where it is. Out: one
/// statement for all their instructions, so that these follow each other without a wait, or a backend_error if the
/// machine has none for the loops, or if the threads of four warps do not compute them together.
class warpgroup_tile_matcher {
 public:
  warpgroup_tile_matcher(ir::loop const& outermost, kernel_scope const& of, warp_analysis const& warps,
                         arith::ranges& known)
      : outermost_(outermost), of_(of), warps_(warps), known_(known) {}

  /// Returns true for a loop around the tile, with few iterations if it is a repetition.
  [[nodiscard]] static bool is_tile(ir::loop const& l) {
    if ((l.kind != ir::loop_kind::unrolled && l.kind != ir::loop_kind::serial) || !ir::is_constant(l.begin) ||
        !ir::is_constant(l.end))
      return false;
    if (l.kind == ir::loop_kind::serial && ir::constant_integer(l.end) - ir::constant_integer(l.begin) > most_repeated)
      return false;
    return is_inside(l.body);
  }

  [[nodiscard]] ir::stmt match() {
    find_loops();
    find_product();
    put_virtual_threads_first();
    require_instruction();
    require_whole_warpgroups();
    ir::matrix_multiply made{{},
                             {sum_->to, without_lets(sum_->indices), without_lets(sum_->value)},
                             without_lets(left_),
                             without_lets(right_),
                             {},
                             {},
                             ir::matrix_unit::four_warps};
    for (auto const* l : loops_) {
      made.loops.push_back({l->variable, l->begin, l->end, l->kind, {}});
      known_[l->variable] = {ir::constant_integer(l->begin), ir::constant_integer(l->end) - 1};
    }
    made.left_by_lanes = by_quarters(left());
    made.right_by_lanes = by_quarters(right());
    return ir::make_statement(std::move(made));
  }

 private:
  static constexpr std::int64_t most_repeated = 16;

  [[nodiscard]] ir::access const& left() const { return *ir::as<ir::access>(left_); }
  [[nodiscard]] ir::access const& right() const { return *ir::as<ir::access>(right_); }
  [[nodiscard]] ir::loop const& columns() const { return *loops_[loops_.size() - 2]; }
  [[nodiscard]] ir::loop const& terms() const { return *loops_.back(); }
  void require(bool holds, std::string const& otherwise) const {
    if (!holds) refuse_tile(of_.features.language, columns().variable, otherwise);
  }

  /// Returns true for two tensorized loops around one statement, inside of lets and loops.
  [[nodiscard]] static bool is_inside(ir::stmt const& s) {
    if (auto const* n = ir::as<ir::let>(s)) return is_inside(n->body);
    auto const* l = ir::as<ir::loop>(s);
    if (!l) return false;
    if (l->kind != ir::loop_kind::tensorized)
      return (l->kind == ir::loop_kind::serial || l->kind == ir::loop_kind::unrolled) && is_inside(l->body);
    auto const* terms = ir::as<ir::loop>(l->body);
    return terms && terms->kind == ir::loop_kind::tensorized && !ir::as<ir::loop>(terms->body);
  }

  /// Finds the loops and lets from the outermost loop to the one over terms.
  void find_loops() {
    auto const* inner = &outermost_.body;
    loops_.push_back(&outermost_);
    while (loops_.back()->kind != ir::loop_kind::tensorized) {
      if (auto const* n = ir::as<ir::let>(*inner)) {
        lets_.push_back(n);
        inner = &n->body;
        continue;
      }
      auto const& l = *ir::as<ir::loop>(*inner);
      if (l.kind != ir::loop_kind::tensorized && (!ir::is_constant(l.begin) || !ir::is_constant(l.end)))
        refuse_tile(of_.features.language, l.variable,
                    "how often that is repeated is not known: choose parts that divide the extents");
      loops_.push_back(&l);
      inner = &l.body;
    }
    loops_.push_back(ir::as<ir::loop>(*inner));
  }

  void find_product() {
    require(!ir::as<ir::conditional>(terms().body),
            "an edge leaves out some of it: choose parts that divide the extents of rows, columns and terms");
    sum_ = ir::as<ir::store>(terms().body);
    auto const term = sum_ ? ir::match_added_term(*sum_) : std::nullopt;
    require(term && term->kind == dot_term::product, "they are no sum of products of two operands that are widened");
    left_ = term->left;
    right_ = term->right;
    if (any_mentions(left().indices, columns().variable)) std::swap(left_, right_);
    require(!any_mentions(left().indices, columns().variable), "both operands move with the columns");
  }

  /// Moves the loop over virtual threads, each of which has sums of its own, to the front; the terms of a sum stay in
  /// their order.
  void put_virtual_threads_first() {
    auto const sums = without_lets(sum_->indices);
    auto const found = std::find_if(loops_.begin(), loops_.end() - 2,
                                    [&](ir::loop const* l) { return any_mentions(sums, l->variable); });
    require(found != loops_.end() - 2, "a thread has only one group of 2 columns: bind virtual threads");
    std::rotate(loops_.begin(), found, found + 1);
  }

  void require_instruction() const {
    auto const& machine = of_.features.machine;
    require(has_warpgroup_product(left_->type, right_->type, sum_->to->type),
            std::string("there is no instruction of four warps for ") + ttune::name_of(left_->type) + " times " +
                ttune::name_of(right_->type) + ", added up in " + ttune::name_of(sum_->to->type) +
                ": see core/warpgroup_product.hpp for those there are");
    require(nvidia_architecture(machine) == warpgroup_product::architecture,
            machine.cpu +
                " has no instruction of four warps for it, which sm_90 alone has: leave out tensorize, or choose "
                "another target");
    require(extent_from_zero(columns()) == warpgroup_product::thread_columns &&
                extent_from_zero(terms()) == warpgroup_product::terms,
            "a thread's part is 2 columns and 16 terms: split them so");
  }

  /// Requires that all threads of four warps execute the tile together, and that the data they read is visible to the
  /// instruction.
  void require_whole_warpgroups() const {
    require(of_.grid.has_rows_of(warpgroup_product::threads) && warps_.has_lanes(),
            "threads are no groups of four warps: bind a multiple of 128 of them to thread_x, and none to y and z");
    require(warps_.is_together(), "not all threads come there: a condition or a loop around it differs between them");
    for (auto const* a : {&left(), &right()})
      require(buffer_of(*a).where == ir::memory::shared,
              buffer_of(*a).name + " is not in shared memory: store it there");
  }

  [[nodiscard]] ir::expr without_lets(ir::expr e) const {
    for (auto l = lets_.rbegin(); l != lets_.rend(); ++l) e = arith::substitute(e, (*l)->variable, (*l)->value);
    return e;
  }
  [[nodiscard]] std::vector<ir::expr> without_lets(std::vector<ir::expr> indices) const {
    for (auto& i : indices) i = without_lets(i);
    return indices;
  }

  /// Returns the indices with the thread's number split into group, quarter, row and column.
  [[nodiscard]] std::vector<ir::expr> by_quarters(ir::access const& a) const {
    auto const groups = of_.grid.size(kernel_grid::thread_x) / warpgroup_product::threads;
    auto const group = groups > 1 ? ir::make_variable(lane_variable::group) : ir::make_index(0);
    auto known = known_;
    known[lane_variable::group] = {0, groups - 1};
    known[lane_variable::quarter] = {0, warpgroup_product::warps - 1};
    known[lane_variable::row] = {0, warpgroup_product::lanes_of_rows - 1};
    known[lane_variable::column] = {0, warpgroup_product::lanes_of_columns - 1};
    std::vector<ir::expr> made;
    for (auto i : a.indices) {
      i = warps_.by_lanes(warps_.with_values_of_warps(without_lets(i)));
      i = in_parts(i, lane_variable::warp, warpgroup_product::warps, group, ir::make_variable(lane_variable::quarter));
      made.push_back(arith::simplify(i, known));
    }
    return made;
  }

  ir::loop const& outermost_;
  kernel_scope const& of_;
  warp_analysis const& warps_;
  arith::ranges& known_;
  std::vector<ir::let const*> lets_;
  std::vector<ir::loop const*> loops_;  ///< virtual threads, repetitions, columns, terms
  ir::store const* sum_ = nullptr;
  ir::expr left_, right_;
};

}}}}  // namespace ttune::v0::lowering::detail
