// SPDX-License-Identifier: Apache-2.0
// Matrix products that four warps compute together (core/warpgroup_product.hpp). In the program, each thread computes
// its own sums by itself; virtual threads represent its sums 8 rows or columns apart:
//
//   unrolled v < V                        begin
//     (rows and columns of v)             for n < N, for all tiles of 64 rows
//     for n < N                      →      product(descriptor of A, descriptor of B, all sums of the tile)
//       tensorize j < 2                   end, and wait for it
//         tensorize k < 16
//           S[v, j] += A[…] * B[…]
//
// The instruction reads its operands itself, so the program's rows, columns and terms must be exactly those of the
// instruction. The indices show that: they are computed for all v, j and k, with the parts of a thread's number as
// unknowns.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/simplify.hpp"
#include "ttune/codegen/c_family/emitter.hpp"
#include "ttune/core/warpgroup_product.hpp"
#include "ttune/ir/narrow_term.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

inline constexpr char const* of_group = "@group";      ///< number of the group of four warps
inline constexpr char const* of_quarter = "@quarter";  ///< 0 … 3: number of the warp in its group

[[nodiscard]] inline std::int64_t coefficient_of(lane_linear const& l, std::string const& name) {
  for (auto const& t : l.terms)
    if (t.value == name) return t.coefficient;
  return 0;
}

}  // namespace detail

/// Returns true for two tensorized loops around one statement, inside of lets and loops; the unrolled loops around them
/// are virtual threads.
inline bool c_emitter::is_warpgroup_tile(ir::stmt const& s) {
  if (auto const* n = ir::as<ir::let>(s)) return is_warpgroup_tile(n->body);
  auto const* l = ir::as<ir::loop>(s);
  if (!l) return false;
  if (l->kind != ir::loop_kind::tensorized)
    return (l->kind == ir::loop_kind::serial || l->kind == ir::loop_kind::unrolled) && is_warpgroup_tile(l->body);
  auto const* terms = ir::as<ir::loop>(l->body);
  return terms && terms->kind == ir::loop_kind::tensorized && !ir::as<ir::loop>(terms->body);
}

inline bool c_emitter::has_warpgroup_tile(ir::stmt const& s) const {
  return dialect_.has_matrix_products() && detail::any_statement(s, [](ir::stmt const& part) {
           auto const* l = ir::as<ir::loop>(part);
           return l && l->kind == ir::loop_kind::unrolled && is_warpgroup_tile(l->body);
         });
}

inline c_emitter::warpgroup_tile c_emitter::warpgroup_tile_of(ir::loop const& l) const {
  warpgroup_tile t;
  t.virtuals = &l;
  auto const* inner = &l.body;
  for (;;) {
    if (auto const* n = ir::as<ir::let>(*inner)) {
      t.lets.push_back(n);
      inner = &n->body;
      continue;
    }
    t.columns = ir::as<ir::loop>(*inner);
    if (t.columns->kind == ir::loop_kind::tensorized) break;
    if (!ir::is_constant(t.columns->begin) || !ir::is_constant(t.columns->end))
      refuse_tile(*t.columns, "how often that is repeated is not known: choose parts that divide the extents");
    t.steps.push_back(t.columns);
    inner = &t.columns->body;
  }
  t.terms = ir::as<ir::loop>(t.columns->body);
  auto const& at = *t.columns;
  if (ir::as<ir::conditional>(t.terms->body))
    refuse_tile(at, "an edge leaves out some of it: choose parts that divide the extents of rows, columns and terms");
  t.sum = ir::as<ir::store>(t.terms->body);
  auto const term = t.sum ? ir::match_added_term(*t.sum) : std::nullopt;
  if (!term || term->kind != dot_term::product)
    refuse_tile(at, "they are no sum of products of two operands that are widened");
  t.left = ir::as<ir::access>(term->left);
  t.right = ir::as<ir::access>(term->right);
  auto const moves = [&](ir::access const& a) {
    return std::any_of(a.indices.begin(), a.indices.end(),
                       [&](ir::expr const& i) { return detail::speaks_of(i, {at.variable}); });
  };
  if (moves(*t.left)) std::swap(t.left, t.right);
  if (moves(*t.left)) refuse_tile(at, "both operands move with the columns");
  auto const type = [](ir::access const& a) { return std::get<handle<ir::buffer>>(a.from)->type; };
  if (!has_warpgroup_product(type(*t.left), type(*t.right), t.sum->to->type))
    refuse_tile(at, std::string("there is no instruction of four warps for ") + ttune::name_of(type(*t.left)) +
                        " times " + ttune::name_of(type(*t.right)) + ", added up in " +
                        ttune::name_of(t.sum->to->type) + ": see core/warpgroup_product.hpp for those there are");
  if (nvidia_architecture(machine_) != warpgroup_product::architecture)
    refuse_tile(at, machine_.cpu +
                        " has no instruction of four warps for it, which sm_90 alone has: leave out tensorize, "
                        "or choose another target");
  auto const extent = [](ir::loop const& of) {
    return ir::is_constant(of.begin, 0) && ir::is_constant(of.end) ? ir::constant_integer(of.end) : 0;
  };
  if (extent(at) != warpgroup_product::thread_columns || extent(*t.terms) != warpgroup_product::terms)
    refuse_tile(at, "a thread's part is 2 columns and 16 terms: split them so");
  require_whole_warpgroups(t);
  return t;
}

/// Requires that all threads of four warps execute the tile together, and that the data they read is visible to the
/// instruction.
inline void c_emitter::require_whole_warpgroups(warpgroup_tile const& t) const {
  if (grid_[4].size() * grid_[5].size() != 1 || grid_[3].begin != 0 ||
      grid_[3].size() % warpgroup_product::threads != 0 || thread_loops_.empty())
    refuse_tile(*t.columns,
                "threads are no groups of four warps: bind a multiple of 128 of them to thread_x, and none to y and z");
  if (apart_ > 0)
    refuse_tile(*t.columns, "not all threads come there: a condition or a loop around it differs between them");
  for (auto const* a : {t.left, t.right}) {
    auto const& b = *std::get<handle<ir::buffer>>(a->from);
    if (b.where != ir::memory::shared) refuse_tile(*t.columns, b.name + " is not in shared memory: store it there");
  }
}

/// Returns the indices with the thread's number split into group, quarter, row and column.
inline std::vector<ir::expr> c_emitter::indices_by_quarters(warpgroup_tile const& t, ir::access const& a) const {
  auto const groups = grid_[3].size() / warpgroup_product::threads;
  auto const group = groups > 1 ? ir::make_variable(detail::of_group) : ir::make_index(0);
  auto known = ranges_;
  known[detail::of_group] = {0, groups - 1};
  known[detail::of_quarter] = {0, warpgroup_product::warps - 1};
  known[detail::of_row] = {0, warpgroup_product::lanes_of_rows - 1};
  known[detail::of_column] = {0, warpgroup_product::lanes_of_columns - 1};
  std::vector<ir::expr> made;
  for (auto i : a.indices) {
    for (auto l = t.lets.rbegin(); l != t.lets.rend(); ++l) i = arith::substitute(i, (*l)->variable, (*l)->value);
    i = by_lanes(arith::substitute(i, of_warps_));
    i = detail::in_parts(i, detail::of_warp, warpgroup_product::warps, group, ir::make_variable(detail::of_quarter));
    made.push_back(arith::simplify(i, known));
  }
  return made;
}

/// Returns the layout of an operand's core matrices, after checking its elements for all v and k, and for all threads.
inline c_emitter::operand_cores c_emitter::cores_of(warpgroup_tile const& t, ir::access const& a, bool left) {
  using instruction = warpgroup_product;
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  auto const indices = indices_by_quarters(t, a);
  auto const require = [&](bool holds) {
    if (!holds)
      refuse_tile(*t.columns, b.name +
                                  " does not lie in cores of 8 x 8 elements as the instruction reads them: split "
                                  "its rows and columns by 8, reorder the inner parts to be the innermost, and pack");
  };
  for (auto const& i : indices)
    require(!detail::speaks_of(i, {t.virtuals->variable}) || !detail::speaks_of(i, {t.terms->variable}));
  auto const begin = ir::constant_integer(t.virtuals->begin);
  auto const at = [&](std::int64_t v, std::int64_t k, std::int64_t j) {
    auto placed = indices;
    for (auto& i : placed)
      i = arith::substitute(i, {{t.virtuals->variable, ir::make_index(v)},
                                {t.terms->variable, ir::make_index(k)},
                                {t.columns->variable, ir::make_index(j)}});
    return flat_index(b, placed);
  };
  operand_cores made;
  made.first = at(begin, 0, 0);
  auto const key = made.first.key();
  auto const apart = [&](lane_linear const& other) {
    require(other.key() == key);
    return other.constant - made.first.constant;
  };
  auto const unit = apart(at(begin, 1, 0));  // distance between terms
  require(unit == 1 || unit == instruction::core);
  made.across = unit != 1;
  auto const other_unit = instruction::core / unit;
  made.term_step = apart(at(begin, instruction::core, 0));
  for (std::int64_t k = 0; k < instruction::terms; ++k)
    require(apart(at(begin, k, 0)) == k / instruction::core * made.term_step + k % instruction::core * unit);
  for (auto v = begin; v < ir::constant_integer(t.virtuals->end); ++v) made.steps.push_back(apart(at(v, 0, 0)));
  auto const quarters = detail::coefficient_of(made.first, detail::of_quarter);
  auto const columns = left ? 0 : instruction::thread_columns * other_unit;
  if (detail::coefficient_of(made.first, detail::of_row) != (left ? other_unit : 0) ||
      detail::coefficient_of(made.first, detail::of_column) != columns || (left ? quarters % 2 : quarters) != 0)
    refuse_tile(
        *t.columns,
        "neighbouring threads differ otherwise: the 4 innermost must have 2 columns each, the 8 around them a row "
        "each, the 4 around those 16 rows each");
  if (left) made.step = quarters / instruction::thread_rows;
  else require(apart(at(begin, 0, 1)) == other_unit);
  std::erase_if(made.first.terms, [](lane_linear::term const& term) {
    return term.value == detail::of_quarter || term.value == detail::of_row || term.value == detail::of_column;
  });
  constexpr std::int64_t aligned = instruction::core;  // 16 bytes
  require(made.first.constant % aligned == 0 && made.step % aligned == 0 && made.term_step % aligned == 0);
  for (auto const& term : made.first.terms)
    require(term.coefficient % aligned == 0 && term.value.find('@') == std::string::npos);
  return made;
}

/// Returns the rows and columns of each virtual thread: tiles of 64 rows, in each of them groups of 8 columns, the
/// upper rows first.
inline std::vector<c_emitter::rows_of_64> c_emitter::order_virtual_threads(warpgroup_tile const& t,
                                                                           operand_cores const& left,
                                                                           operand_cores& right) const {
  auto const refuse = [&](std::string const& why) {
    refuse_tile(*t.columns, "virtual threads do not stand for all rows 8 apart and all columns 8 apart: " + why);
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> which;  // v by the steps of both operands
  std::set<std::int64_t> rows;
  std::set<std::int64_t> columns;
  for (std::size_t i = 0; i < left.steps.size(); ++i) {
    which[{left.steps[i], right.steps[i]}] = ir::constant_integer(t.virtuals->begin) + static_cast<std::int64_t>(i);
    rows.insert(left.steps[i]);
    columns.insert(right.steps[i]);
  }
  auto const eights = static_cast<std::int64_t>(columns.size());
  if (which.size() != left.steps.size() || which.size() != rows.size() * columns.size())
    refuse("some have the same ones, or not all of them");
  if (eights * warpgroup_product::core > warpgroup_product::most_columns)
    refuse("they have more than 256 columns, choose smaller parts");
  right.step = eights > 1 ? *std::next(columns.begin()) - *columns.begin() : warpgroup_product::core;
  std::int64_t n = 0;
  for (auto const step : columns)
    if (step != *columns.begin() + n++ * right.step || right.step % warpgroup_product::core != 0)
      refuse("columns do not follow each other");
  std::vector<rows_of_64> tiles;
  while (!rows.empty()) {
    auto& made = tiles.emplace_back();
    made.left = *rows.begin();
    made.right = *columns.begin();
    std::int64_t const halves[] = {made.left, made.left + left.step};
    for (auto const half : halves)
      if (rows.erase(half) == 0) refuse("rows that are 8 further than others are missing");
    for (auto const column : columns)
      for (auto const half : halves) made.threads.push_back(which.at({half, column}));
  }
  return tiles;
}

/// Returns the sums of a tile in the order of the instruction's registers.
inline std::string c_emitter::sums_of(warpgroup_tile const& t, rows_of_64 const& of) {
  std::string made;
  for (auto const v : of.threads)
    for (std::int64_t j = 0; j < warpgroup_product::thread_columns; ++j) {
      auto at = t.sum->indices;
      for (auto& i : at) {
        for (auto l = t.lets.rbegin(); l != t.lets.rend(); ++l) i = arith::substitute(i, (*l)->variable, (*l)->value);
        i = arith::substitute(i, {{t.virtuals->variable, ir::make_index(v)}, {t.columns->variable, ir::make_index(j)}});
      }
      auto const flat = flat_index(*t.sum->to, at);
      if (!flat.is_constant() || (t.sum->to->where != ir::memory::local && t.sum->to->where != ir::memory::registers))
        refuse_tile(*t.columns, t.sum->to->name + " is not each thread's own: store it in local memory");
      made += (made.empty() ? "" : ", ") + element(*t.sum->to, flat);
    }
  return made;
}

inline void c_emitter::call_function(std::string const& name, std::string const& text) {
  helpers_.try_emplace(name, text);
  line(name + "();");
}

/// Emits the products of all tiles for the iterations of the loops in `t.steps` from `depth` on, unrolled. Returns the
/// sums of each tile.
inline std::vector<std::string> c_emitter::emit_products(warpgroup_tile const& t, std::size_t depth) {
  std::vector<std::string> sums;
  if (depth < t.steps.size()) {
    auto const& l = *t.steps[depth];
    for (auto i = ir::constant_integer(l.begin); i < ir::constant_integer(l.end); ++i) {
      lane_linear at;
      at.constant = i;
      variables_[l.variable] = at;
      ranges_[l.variable] = {i, i};
      sums = emit_products(t, depth + 1);
    }
    variables_.erase(l.variable);
    return sums;
  }
  auto const left = cores_of(t, *t.left, true);
  auto right = cores_of(t, *t.right, false);
  auto const tiles = order_virtual_threads(t, left, right);
  auto const described = [&](ir::access const& a, operand_cores const& cores, std::int64_t step) {
    auto const& b = *std::get<handle<ir::buffer>>(a.from);
    auto at = cores.first;
    at.constant += step;
    auto const bytes = static_cast<std::int64_t>(size_in_bytes(b.type));
    helpers_.try_emplace("ttune_cores", dialect_.cores_function("ttune_cores"));
    return loaded_once("unsigned long long", b.name + "_cores",
                       "ttune_cores(" + offset(b, at) + ", " + std::to_string(cores.term_step * bytes) + ", " +
                           std::to_string(cores.step * bytes) + ")");
  };
  auto const type = std::get<handle<ir::buffer>>(t.left->from)->type;
  auto const name =
      "ttune_wgmma_" + std::string(ttune::name_of(type)) + "_" + (left.across ? "1" : "0") + (right.across ? "1" : "0");
  for (auto const& of : tiles) {
    auto const a = described(*t.left, left, of.left);
    auto const b = described(*t.right, right, of.right);
    helpers_.try_emplace(name + "_" + std::to_string(of.columns()),
                         dialect_.warpgroup_function(name, of.columns(), type, left.across, right.across));
    helpers_.try_emplace("ttune_hold_" + std::to_string(of.columns()),
                         dialect_.hold_function("ttune_hold", of.columns() / 2));
    sums.push_back(sums_of(t, of));
    line(name + "(" + a + ", " + b + ", " + sums.back() + ");");
  }
  return sums;
}

inline void c_emitter::emit_warpgroup_tiles(ir::loop const& l) {
  auto const t = warpgroup_tile_of(l);
  open("");
  auto const saved = variables_;
  for (auto const* loop : {t.virtuals, t.columns, t.terms})
    ranges_[loop->variable] = {ir::constant_integer(loop->begin), ir::constant_integer(loop->end) - 1};
  auto const groups = grid_[3].size() / warpgroup_product::threads;
  auto const thread = "(" + type_name(dtype::index) + ")" + dialect_.thread_id(0);
  if (groups > 1)
    variables_[detail::of_group] =
        atom(declare("group", thread + " / " + std::to_string(warpgroup_product::threads), true), true);
  for (auto const* part : {detail::of_quarter, detail::of_row, detail::of_column}) variables_[part] = atom(part, true);
  auto const before = std::exchange(text_, {});
  auto const sums = emit_products(t, 0);
  auto const products = std::exchange(text_, before);
  auto const hold = [&] {
    for (auto const& s : sums) line("ttune_hold(" + s + ");");
  };
  hold();
  call_function("ttune_begin_products", dialect_.begin_products_function("ttune_begin_products"));
  text_ += products;
  call_function("ttune_end_products", dialect_.end_products_function("ttune_end_products"));
  hold();
  variables_ = saved;
  fragments_.clear();
  close();
}

}}}  // namespace ttune::v0::codegen
