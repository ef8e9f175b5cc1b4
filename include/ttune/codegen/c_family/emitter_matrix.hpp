// SPDX-License-Identifier: Apache-2.0
// Matrix products that a warp computes together (core/matrix_product.hpp). In the program, each thread computes the
// sums of its own rows and columns by itself:
//
//   tensorize r < 2                      a = rows of this thread, a quarter of the terms
//     tensorize c < 2             →      b = a column of another one, the same terms
//       tensorize k < 16                 mma(S[0, 0], S[0, 1], S[1, 0], S[1, 1], a, b)
//         S[r, c] += A[r, k] * B[k, c]
//
// Thread 4 g + t of a warp has row index g and column index t: the left operand must be equal for all t, the right one
// for all g. The assignment of program rows and columns to matrix rows and columns is arbitrary, and so is the order of
// the terms, as long as both operands agree. emitter_fragment.hpp loads the operands; consecutive tiles share them.
#pragma once

#include "ttune/arith/simplify.hpp"
#include "ttune/codegen/c_family/emitter.hpp"
#include "ttune/codegen/c_family/lanes.hpp"
#include "ttune/ir/narrow_term.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

inline bool c_emitter::is_matrix_tile(ir::stmt const& s) {
  auto const* columns = ir::as<ir::loop>(s);
  auto const* terms = columns ? ir::as<ir::loop>(columns->body) : nullptr;
  return terms && columns->kind == ir::loop_kind::tensorized && terms->kind == ir::loop_kind::tensorized;
}

/// Returns true for unrolled loops that contain only a tile.
inline bool c_emitter::is_matrix_tiles(ir::stmt const& s) {
  auto const* l = ir::as<ir::loop>(s);
  if (!l) return false;
  if (l->kind == ir::loop_kind::tensorized) return is_matrix_tile(l->body);
  return l->kind == ir::loop_kind::unrolled && ir::is_constant(l->begin) && ir::is_constant(l->end) &&
         is_matrix_tiles(l->body);
}

inline void c_emitter::refuse_tile(ir::loop const& rows, std::string const& why) const {
  throw backend_error(std::string(dialect_.name()) + ": the loops from " + rows.variable +
                      " on are tensorized as a product of matrices, but " + why);
}

// ------------------------------------------------------------------------------------------------------------ lanes

inline ir::expr c_emitter::by_lanes(ir::expr const& e) const {
  if (of_threads_.empty() && thread_loops_.empty()) return e;
  auto known = ranges_;
  known[detail::of_warp] = {0, std::max<std::int64_t>(grid_[3].size() / 32, 1) - 1};
  known[detail::of_row] = {0, matrix_product::lanes_of_rows - 1};
  known[detail::of_column] = known[detail::of_owner] = {0, matrix_product::lanes_of_columns - 1};
  known[detail::of_part] = {0, matrix_product::thread_columns - 1};
  auto made = e;
  for (auto const& name : thread_loops_) made = detail::thread_by_lanes(made, name);
  return arith::simplify(arith::substitute(made, of_threads_), known);
}

/// Returns true if an expression may have different values in the threads of a warp.
inline bool c_emitter::differs_in_warp(ir::expr const& e) const {
  if (!dialect_.has_warps()) return false;
  return detail::speaks_of(by_lanes(e), {detail::of_row, detail::of_column, detail::of_others});
}

inline void c_emitter::enter_let(ir::let const& l) {
  if (!dialect_.has_warps()) return;
  auto const known = by_lanes(l.value);
  if (detail::speaks_of(known, {detail::of_row, detail::of_column, detail::of_others})) of_threads_[l.variable] = known;
  else if (detail::speaks_of(known, {detail::of_warp})) of_warps_[l.variable] = known;
}
inline void c_emitter::leave_let(ir::let const& l) {
  of_threads_.erase(l.variable);
  of_warps_.erase(l.variable);
}

/// Records a loop over threads. Threads in direction x are lanes, 32 per warp, if they are numbered from 0 and the
/// block has no other direction.
inline void c_emitter::enter_threads(ir::loop const& l, int direction) {
  if (grid_[static_cast<std::size_t>(direction)].size() == 1) return;
  if (direction == 3 && grid_[3].begin == 0) thread_loops_.insert(l.variable);
  else of_threads_[l.variable] = ir::make_variable(detail::of_others);
}
inline void c_emitter::leave_threads(ir::loop const& l) {
  thread_loops_.erase(l.variable);
  of_threads_.erase(l.variable);
}

/// Declares a variable of lanes with values from 0 to `most`; returns its name in the text.
inline std::string c_emitter::declare_lane(char const* variable, std::string const& name, std::string const& text,
                                           std::int64_t most) {
  auto const fresh = names_.fresh(name);
  shared_arrays_ += "  const " + type_name(dtype::index) + " " + fresh + " = " + text + ";\n";
  variables_[variable] = atom(fresh, true);
  ranges_[variable] = {0, most};
  return fresh;
}

inline void c_emitter::declare_lanes() {
  if (variables_.contains(detail::of_warp)) return;
  auto const thread = "(" + type_name(dtype::index) + ")" + dialect_.thread_id(0);
  (void)declare_lane(detail::of_warp, "warp", thread + " / 32", std::max<std::int64_t>(grid_[3].size() / 32, 1) - 1);
  auto const row = declare_lane(detail::of_row, "lane_row", thread + " % 32 / 4", 7);
  (void)declare_lane(detail::of_column, "lane_column", thread + " % 4", 3);
  (void)declare_lane(detail::of_owner, "column_owner", row + " / 2", 3);
  (void)declare_lane(detail::of_part, "column_part", row + " % 2", 1);
}

// ------------------------------------------------------------------------------------------------------------ tiles

inline c_emitter::matrix_tile c_emitter::tile_of(ir::loop const& l) const {
  matrix_tile t;
  t.rows = &l;
  t.columns = ir::as<ir::loop>(l.body);
  t.terms = ir::as<ir::loop>(t.columns->body);
  if (ir::as<ir::conditional>(t.terms->body))
    refuse_tile(l, "an edge leaves out some of it: choose parts that divide the extents of rows, columns and terms");
  t.sum = ir::as<ir::store>(t.terms->body);
  auto const term = t.sum ? ir::match_added_term(*t.sum) : std::nullopt;
  if (!term || term->kind != dot_term::product)
    refuse_tile(l, "they are no sum of products of two operands that are widened, or rounded to TF32");
  t.left = ir::as<ir::access>(term->left);
  t.right = ir::as<ir::access>(term->right);
  auto const moves = [](ir::access const& a, std::string const& variable) {
    return std::any_of(a.indices.begin(), a.indices.end(),
                       [&](ir::expr const& i) { return detail::speaks_of(i, {variable}); });
  };
  if (moves(*t.right, l.variable)) std::swap(t.left, t.right);
  if (moves(*t.right, l.variable) || moves(*t.left, t.columns->variable))
    refuse_tile(l, "an operand moves with rows and columns");
  auto const type = [](ir::access const& a) { return std::get<handle<ir::buffer>>(a.from)->type; };
  auto const extent = [](ir::loop const& of) {
    return ir::is_constant(of.begin, 0) && ir::is_constant(of.end) ? ir::constant_integer(of.end) : 0;
  };
  auto const how = matrix_product_of(type(*t.left), type(*t.right), t.sum->to->type,
                                     static_cast<std::int32_t>(std::min<std::int64_t>(extent(*t.terms), 1 << 20)));
  if (!how)
    refuse_tile(l, std::string("there is no instruction for ") + std::to_string(extent(*t.terms)) + " terms of " +
                       ttune::name_of(type(*t.left)) + " times " + ttune::name_of(type(*t.right)) + ", added up in " +
                       ttune::name_of(t.sum->to->type) + ": see core/matrix_product.hpp for those there are");
  if (nvidia_architecture(machine_) < how->least_architecture)
    refuse_tile(l, machine_.cpu + " has no instruction for it, which came with sm_" +
                       std::to_string(how->least_architecture) + ": leave out tensorize, or choose another target");
  if (extent(l) != matrix_product::thread_rows || extent(*t.columns) != matrix_product::thread_columns)
    refuse_tile(l, "a thread's part is 2 rows by 2 columns: split them so");
  t.how = *how;
  return t;
}

/// Requires that all lanes of a warp execute the tile together, and that their rows and columns are those of the
/// instruction.
inline void c_emitter::require_whole_warps(matrix_tile const& t) {
  constexpr std::int64_t warp_threads = matrix_product::lanes_of_rows * matrix_product::lanes_of_columns;
  if (grid_[4].size() * grid_[5].size() != 1 || grid_[3].begin != 0 || grid_[3].size() % warp_threads != 0 ||
      thread_loops_.empty())
    refuse_tile(*t.rows, "threads are no whole warps: bind a multiple of 32 of them to thread_x, and none to y and z");
  if (apart_ > 0)
    refuse_tile(*t.rows, "not all threads of a warp come there: a condition or a loop around it differs between them");
  auto const speaks = [&](ir::access const& a, char const* lanes) {
    auto const indices = indices_by_lanes(a);
    return std::any_of(indices.begin(), indices.end(),
                       [&](ir::expr const& i) { return detail::speaks_of(i, {lanes}); });
  };
  if (speaks(*t.left, detail::of_column) || speaks(*t.right, detail::of_row))
    refuse_tile(*t.rows,
                "neighbouring threads differ otherwise: the 4 innermost must have columns of their own and the same "
                "rows, the 8 around them rows of their own and the same columns");
  for (auto const* a : {t.left, t.right}) {
    auto const& b = *std::get<handle<ir::buffer>>(a->from);
    if (b.where == ir::memory::local || b.where == ir::memory::registers)
      refuse_tile(*t.rows, b.name + " is each thread's own: store it in shared memory");
  }
}

inline std::vector<ir::expr> c_emitter::indices_by_lanes(ir::access const& a) const {
  std::vector<ir::expr> made;
  for (auto const& i : a.indices) made.push_back(by_lanes(i));
  return made;
}

inline void c_emitter::emit_tile(ir::loop const& l) {
  auto const t = tile_of(l);
  require_whole_warps(t);
  declare_lanes();
  std::string arguments;
  for (int r = 0; r < matrix_product::thread_rows; ++r)
    for (int c = 0; c < matrix_product::thread_columns; ++c) {
      std::vector<ir::expr> at;
      for (auto const& i : t.sum->indices)
        at.push_back(arith::substitute(i, {{l.variable, ir::make_index(r)}, {t.columns->variable, ir::make_index(c)}}));
      arguments += (arguments.empty() ? "" : ", ") + element(*t.sum->to, flat_index(*t.sum->to, at));
    }
  for (auto const& r : fragments(t)) arguments += ", " + r;
  auto const type = [](ir::access const& a) { return std::get<handle<ir::buffer>>(a.from)->type; };
  auto const name = "ttune_mma_" + std::to_string(t.how.terms) + "_" + ttune::name_of(type(*t.left)) + "_" +
                    ttune::name_of(type(*t.right));
  if (!helpers_.contains(name))
    helpers_[name] = dialect_.matrix_function(name, t.how, type(*t.left), type(*t.right), t.sum->to->type);
  line(name + "(" + arguments + ");");
  if (!follows_) forget_fragments();
}

/// Emits tiles in sequence: between them only sums are stored.
inline void c_emitter::emit_tiles(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  bool const outermost = !follows_;
  follows_ = true;
  if (outermost) open("");
  repeated_.emplace_back(&l, begin, end);
  emit_unrolled(l, begin, end);
  repeated_.pop_back();
  if (!outermost) return;
  close();
  follows_ = false;
  forget_fragments();
}

}}}  // namespace ttune::v0::codegen
