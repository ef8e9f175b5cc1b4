// SPDX-License-Identifier: Apache-2.0
// Finds products of matrices that a warp computes by one instruction (core/matrix_product.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "ttune/core/matrix_product.hpp"
#include "ttune/ir/narrow_term.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/lowering/warp_walk.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Throws a backend_error that names the tile's outermost loop.
[[noreturn]] inline void refuse_tile(std::string const& language, std::string const& outermost,
                                     std::string const& why) {
  throw backend_error(language + ": the loops from " + outermost + " on are tensorized as a product of matrices, but " +
                      why);
}

namespace detail {

/// Matches three tensorized loops, over rows, columns and terms, around a sum of products. In: a loop over rows, and
/// where it is. Out: the statement for the instruction, or a backend_error if the machine has none for the loops, or if
/// the threads of a warp do not compute them together.
class matrix_tile_matcher {
 public:
  matrix_tile_matcher(ir::loop const& rows, kernel_scope const& of, warp_analysis const& warps)
      : rows_(rows),
        columns_(*ir::as<ir::loop>(rows.body)),
        terms_(*ir::as<ir::loop>(columns_.body)),
        of_(of),
        warps_(warps) {}

  /// Returns true for a loop over rows.
  [[nodiscard]] static bool is_tile(ir::loop const& l) {
    auto const tensorized = [](ir::loop const* inner) { return inner && inner->kind == ir::loop_kind::tensorized; };
    auto const* columns = ir::as<ir::loop>(l.body);
    return tensorized(&l) && tensorized(columns) && tensorized(ir::as<ir::loop>(columns->body));
  }

  [[nodiscard]] ir::stmt match() {
    find_product();
    require_instruction();
    require_whole_warp();
    auto const plain = [](ir::loop const& l) { return ir::loop{l.variable, l.begin, l.end, l.kind, {}}; };
    return ir::make_statement(ir::matrix_multiply{{plain(rows_), plain(columns_), plain(terms_)},
                                                  *sum_,
                                                  left_,
                                                  right_,
                                                  warps_.by_lanes(left().indices),
                                                  warps_.by_lanes(right().indices)});
  }

 private:
  [[nodiscard]] ir::access const& left() const { return *ir::as<ir::access>(left_); }
  [[nodiscard]] ir::access const& right() const { return *ir::as<ir::access>(right_); }
  void require(bool holds, std::string const& otherwise) const {
    if (!holds) refuse_tile(of_.features.language, rows_.variable, otherwise);
  }

  void find_product() {
    require(!ir::as<ir::conditional>(terms_.body),
            "an edge leaves out some of it: choose parts that divide the extents of rows, columns and terms");
    sum_ = ir::as<ir::store>(terms_.body);
    auto const term = sum_ ? ir::match_added_term(*sum_) : std::nullopt;
    require(term && term->kind == dot_term::product,
            "they are no sum of products of two operands that are widened, or rounded to TF32");
    left_ = term->left;
    right_ = term->right;
    if (any_mentions(right().indices, rows_.variable)) std::swap(left_, right_);
    require(!any_mentions(right().indices, rows_.variable) && !any_mentions(left().indices, columns_.variable),
            "an operand moves with rows and columns");
  }

  void require_instruction() const {
    auto const terms = extent_from_zero(terms_);
    auto const how = matrix_product_of(left_->type, right_->type, sum_->to->type,
                                       static_cast<std::int32_t>(std::min<std::int64_t>(terms, 1 << 20)));
    require(how.has_value(), "there is no instruction for " + std::to_string(terms) + " terms of " +
                                 ttune::name_of(left_->type) + " times " + ttune::name_of(right_->type) +
                                 ", added up in " + ttune::name_of(sum_->to->type) +
                                 ": see core/matrix_product.hpp for those there are");
    require(nvidia_architecture(of_.features.machine) >= how->least_architecture,
            of_.features.machine.cpu + " has no instruction for it, which came with sm_" +
                std::to_string(how->least_architecture) + ": leave out tensorize, or choose another target");
    require(extent_from_zero(rows_) == matrix_product::thread_rows &&
                extent_from_zero(columns_) == matrix_product::thread_columns,
            "a thread's part is 2 rows by 2 columns: split them so");
  }

  /// Requires that all lanes of a warp execute the tile together, and that their rows and columns are those of the
  /// instruction.
  void require_whole_warp() const {
    constexpr std::int64_t warp_threads = matrix_product::lanes_of_rows * matrix_product::lanes_of_columns;
    require(of_.grid.has_rows_of(warp_threads) && warps_.has_lanes(),
            "threads are no whole warps: bind a multiple of 32 of them to thread_x, and none to y and z");
    require(warps_.is_together(),
            "not all threads of a warp come there: a condition or a loop around it differs between them");
    require(!any_mentions(warps_.by_lanes(left().indices), lane_variable::column) &&
                !any_mentions(warps_.by_lanes(right().indices), lane_variable::row),
            "neighbouring threads differ otherwise: the 4 innermost must have columns of their own and the same rows, "
            "the 8 around them rows of their own and the same columns");
    for (auto const* a : {&left(), &right()})
      require(!is_thread_memory(buffer_of(*a)),
              buffer_of(*a).name + " is each thread's own: store it in shared memory");
  }

  ir::loop const& rows_;
  ir::loop const& columns_;
  ir::loop const& terms_;
  kernel_scope const& of_;
  warp_analysis const& warps_;
  ir::store const* sum_ = nullptr;
  ir::expr left_, right_;
};

}  // namespace detail

}}}  // namespace ttune::v0::lowering
