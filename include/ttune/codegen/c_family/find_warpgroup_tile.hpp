// SPDX-License-Identifier: Apache-2.0
// Finds products of matrices that four warps compute by one instruction (core/warpgroup_product.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/find_matrix_tile.hpp"
#include "ttune/codegen/c_family/statement_queries.hpp"
#include "ttune/core/matrix_product.hpp"
#include "ttune/core/target.hpp"
#include "ttune/core/warpgroup_product.hpp"
#include "ttune/ir/narrow_term.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Virtual threads around repetitions around two tensorized loops, over columns and terms.
struct warpgroup_tile {
  ir::loop const* virtuals = nullptr;
  std::vector<ir::let const*> lets;
  std::vector<ir::loop const*> steps;  ///< repetitions, the outermost first
  ir::loop const* columns = nullptr;
  ir::loop const* terms = nullptr;
  ir::store const* sum = nullptr;
  ir::access const* left = nullptr;  ///< does not depend on the column
  ir::access const* right = nullptr;
};

/// Returns true for two tensorized loops around one statement, inside of lets and loops; the unrolled loops around them
/// are virtual threads.
[[nodiscard]] inline bool is_warpgroup_tile(ir::stmt const& s) {
  if (auto const* n = ir::as<ir::let>(s)) return is_warpgroup_tile(n->body);
  auto const* l = ir::as<ir::loop>(s);
  if (!l) return false;
  if (l->kind != ir::loop_kind::tensorized)
    return (l->kind == ir::loop_kind::serial || l->kind == ir::loop_kind::unrolled) && is_warpgroup_tile(l->body);
  auto const* terms = ir::as<ir::loop>(l->body);
  return terms && terms->kind == ir::loop_kind::tensorized && !ir::as<ir::loop>(terms->body);
}

[[nodiscard]] inline bool has_warpgroup_tile(ir::stmt const& s) {
  return any_statement(s, [](ir::stmt const& part) {
    auto const* l = ir::as<ir::loop>(part);
    return l && l->kind == ir::loop_kind::unrolled && is_warpgroup_tile(l->body);
  });
}

/// Finds the loops and lets between a loop over virtual threads and the tile.
inline void find_loops_of_warpgroup_tile(warpgroup_tile& t, c_dialect const& dialect) {
  auto const* inner = &t.virtuals->body;
  for (;;) {
    if (auto const* n = ir::as<ir::let>(*inner)) {
      t.lets.push_back(n);
      inner = &n->body;
      continue;
    }
    t.columns = ir::as<ir::loop>(*inner);
    if (t.columns->kind == ir::loop_kind::tensorized) break;
    if (!ir::is_constant(t.columns->begin) || !ir::is_constant(t.columns->end))
      refuse_tile(dialect, *t.columns, "how often that is repeated is not known: choose parts that divide the extents");
    t.steps.push_back(t.columns);
    inner = &t.columns->body;
  }
  t.terms = ir::as<ir::loop>(t.columns->body);
}

/// Returns the tile of a loop over virtual threads whose body is_warpgroup_tile. Throws backend_error if the tile is
/// none that an instruction of the machine computes.
[[nodiscard]] inline warpgroup_tile find_warpgroup_tile(ir::loop const& virtuals, target const& machine,
                                                        c_dialect const& dialect) {
  warpgroup_tile t;
  t.virtuals = &virtuals;
  find_loops_of_warpgroup_tile(t, dialect);
  auto const require = [&](bool holds, std::string const& otherwise) {
    if (!holds) refuse_tile(dialect, *t.columns, otherwise);
  };
  require(!ir::as<ir::conditional>(t.terms->body),
          "an edge leaves out some of it: choose parts that divide the extents of rows, columns and terms");
  t.sum = ir::as<ir::store>(t.terms->body);
  auto const term = t.sum ? ir::match_added_term(*t.sum) : std::nullopt;
  require(term && term->kind == dot_term::product, "they are no sum of products of two operands that are widened");
  t.left = ir::as<ir::access>(term->left);
  t.right = ir::as<ir::access>(term->right);
  if (any_mentions(t.left->indices, t.columns->variable)) std::swap(t.left, t.right);
  require(!any_mentions(t.left->indices, t.columns->variable), "both operands move with the columns");
  auto const left = buffer_of(*t.left).type;
  auto const right = buffer_of(*t.right).type;
  require(has_warpgroup_product(left, right, t.sum->to->type),
          std::string("there is no instruction of four warps for ") + ttune::name_of(left) + " times " +
              ttune::name_of(right) + ", added up in " + ttune::name_of(t.sum->to->type) +
              ": see core/warpgroup_product.hpp for those there are");
  require(nvidia_architecture(machine) == warpgroup_product::architecture,
          machine.cpu +
              " has no instruction of four warps for it, which sm_90 alone has: leave out tensorize, or choose "
              "another target");
  require(extent_from_zero(*t.columns) == warpgroup_product::thread_columns &&
              extent_from_zero(*t.terms) == warpgroup_product::terms,
          "a thread's part is 2 columns and 16 terms: split them so");
  return t;
}

}}}}  // namespace ttune::v0::codegen::c_family
