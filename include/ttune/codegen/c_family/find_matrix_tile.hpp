// SPDX-License-Identifier: Apache-2.0
// Finds products of matrices that a warp computes by one instruction (core/matrix_product.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/statement_queries.hpp"
#include "ttune/core/matrix_product.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/narrow_term.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Three tensorized loops around a sum of products; `left` depends on the row loop.
struct matrix_tile {
  ir::loop const* rows = nullptr;
  ir::loop const* columns = nullptr;
  ir::loop const* terms = nullptr;
  ir::store const* sum = nullptr;
  ir::access const* left = nullptr;
  ir::access const* right = nullptr;
  matrix_product how{};
};

/// Returns true for the loop over columns and the one over terms; around them is the one over rows.
[[nodiscard]] inline bool is_matrix_tile(ir::stmt const& s) {
  auto const* columns = ir::as<ir::loop>(s);
  auto const* terms = columns ? ir::as<ir::loop>(columns->body) : nullptr;
  return terms && columns->kind == ir::loop_kind::tensorized && terms->kind == ir::loop_kind::tensorized;
}

/// Returns true for unrolled loops that contain only a tile.
[[nodiscard]] inline bool is_matrix_tile_sequence(ir::stmt const& s) {
  auto const* l = ir::as<ir::loop>(s);
  if (!l) return false;
  if (l->kind == ir::loop_kind::tensorized) return is_matrix_tile(l->body);
  return l->kind == ir::loop_kind::unrolled && ir::is_constant(l->begin) && ir::is_constant(l->end) &&
         is_matrix_tile_sequence(l->body);
}

/// Throws a backend_error that names the tile's outermost loop.
[[noreturn]] inline void refuse_tile(c_dialect const& dialect, ir::loop const& outermost, std::string const& why) {
  throw backend_error(std::string(dialect.name()) + ": the loops from " + outermost.variable +
                      " on are tensorized as a product of matrices, but " + why);
}

/// Returns the tile of a loop over rows whose body is_matrix_tile. Throws backend_error if the tile is none that an
/// instruction of the machine computes.
[[nodiscard]] inline matrix_tile find_matrix_tile(ir::loop const& rows, target const& machine,
                                                  c_dialect const& dialect) {
  matrix_tile t;
  t.rows = &rows;
  t.columns = ir::as<ir::loop>(rows.body);
  t.terms = ir::as<ir::loop>(t.columns->body);
  auto const require = [&](bool holds, std::string const& otherwise) {
    if (!holds) refuse_tile(dialect, rows, otherwise);
  };
  require(!ir::as<ir::conditional>(t.terms->body),
          "an edge leaves out some of it: choose parts that divide the extents of rows, columns and terms");
  t.sum = ir::as<ir::store>(t.terms->body);
  auto const term = t.sum ? ir::match_added_term(*t.sum) : std::nullopt;
  require(term && term->kind == dot_term::product,
          "they are no sum of products of two operands that are widened, or rounded to TF32");
  t.left = ir::as<ir::access>(term->left);
  t.right = ir::as<ir::access>(term->right);
  if (any_mentions(t.right->indices, rows.variable)) std::swap(t.left, t.right);
  require(!any_mentions(t.right->indices, rows.variable) && !any_mentions(t.left->indices, t.columns->variable),
          "an operand moves with rows and columns");
  auto const left = buffer_of(*t.left).type;
  auto const right = buffer_of(*t.right).type;
  auto const terms = extent_from_zero(*t.terms);
  auto const how = matrix_product_of(left, right, t.sum->to->type,
                                     static_cast<std::int32_t>(std::min<std::int64_t>(terms, 1 << 20)));
  require(how.has_value(), "there is no instruction for " + std::to_string(terms) + " terms of " +
                               ttune::name_of(left) + " times " + ttune::name_of(right) + ", added up in " +
                               ttune::name_of(t.sum->to->type) + ": see core/matrix_product.hpp for those there are");
  require(nvidia_architecture(machine) >= how->least_architecture,
          machine.cpu + " has no instruction for it, which came with sm_" + std::to_string(how->least_architecture) +
              ": leave out tensorize, or choose another target");
  require(extent_from_zero(rows) == matrix_product::thread_rows &&
              extent_from_zero(*t.columns) == matrix_product::thread_columns,
          "a thread's part is 2 rows by 2 columns: split them so");
  t.how = *how;
  return t;
}

}}}}  // namespace ttune::v0::codegen::c_family
