// SPDX-License-Identifier: Apache-2.0
// Matrix products that four warps compute together (core/warpgroup_product.hpp). Each thread has its own sums; virtual
// threads represent its sums 8 rows or columns apart:
//
//   warpgroup_multiply S[v, j] += A[…] * B[…],     begin
//                      v < V, n < N, j < 2,   →    for n < N, for all tiles of 64 rows
//                      k < 16                        product(descriptor of A, descriptor of B, all sums of the tile)
//                                                  end, and wait for it, or for the one before (in flight)
//
// The instruction reads its operands itself, so the program's rows, columns and terms must be exactly those of the
// instruction. The indices show that: they are computed for all v, j and k, with the parts of a thread's number as
// unknowns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/codegen/c_family/index_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/load_cache.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"
#include "ttune/codegen/c_family/warpgroup_operands.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: products of four warps. Out: one batch of instructions, and the wait for their sums, which may come later if the
/// products are in flight: at the next batch, and behind the loop. Throws backend_error if the
/// operands do not lie in swizzled lines.
class warpgroup_emitter {
 public:
  warpgroup_emitter(kernel_state& kernel, index_emitter& indices, memory_emitter& memory)
      : kernel_(kernel), indices_(indices), memory_(memory), loaded_(kernel) {}

  void emit(ir::matrix_multiply const& m);
  /// Waits for the products that are in flight, behind the loop around them.
  void finish();
  /// Makes what threads have written visible to the products after the next barrier.
  void publish_shared_memory() {
    call("ttune_publish", [&](std::string const& name) { return kernel_.dialect.matrices()->publish_function(name); });
  }

 private:
  template <class Text>
  void call(std::string const& name, Text const& text);
  void hold(std::vector<std::string> const& sums);
  void await(int in_flight);
  void bind_thread_parts(warpgroup_tile const& t);
  [[nodiscard]] std::vector<std::string> emit_repeated_products(warpgroup_tile const& t, std::size_t depth);
  [[nodiscard]] std::vector<std::string> emit_products(warpgroup_tile const& t);
  [[nodiscard]] std::string define_product(warpgroup_tile const& t, operand_lines const& left,
                                           operand_lines const& right, int columns);
  [[nodiscard]] std::string descriptor(warpgroup_tile const& t, ir::buffer const& b, operand_lines const& lines,
                                       std::int64_t start);
  [[nodiscard]] std::string sums_of(warpgroup_tile const& t, rows_of_64 const& of);
  [[nodiscard]] operand_lines lines_of(warpgroup_tile const& t, matrix_operand const& of, bool left);
  [[nodiscard]] lane_linear position(warpgroup_tile const& t, matrix_operand const& of, std::int64_t v, std::int64_t j,
                                     std::int64_t k);
  void check_threads(warpgroup_tile const& t, operand_lines const& lines, bool left) const;
  void check_begin(warpgroup_tile const& t, ir::buffer const& b, operand_lines const& lines,
                   lane_linear const& begin) const;
  void require_lines(warpgroup_tile const& t, ir::buffer const& b, bool holds) const;
  [[nodiscard]] std::int64_t groups() const {
    return kernel_.grid.size(kernel_grid::thread_x) / warpgroup_product::threads;
  }

  kernel_state& kernel_;
  index_emitter& indices_;
  memory_emitter& memory_;
  load_cache loaded_;
  std::vector<std::string> in_flight_;  ///< sums of products that the loop does not wait for, of each tile
};

/// Calls a function without arguments.
template <class Text>
void warpgroup_emitter::call(std::string const& name, Text const& text) {
  kernel_.shared.define(name, [&] { return text(name); });
  kernel_.text.line(name + "();");
}

// --------------------------------------------------------------------------------------------------------- operands

inline void warpgroup_emitter::require_lines(warpgroup_tile const& t, ir::buffer const& b, bool holds) const {
  if (!holds)
    refuse_tile(kernel_.dialect.name(), t.columns.variable,
                b.name +
                    " does not lie in lines of 64 elements as the instruction reads them: if terms are neighbours, "
                    "copy 64 of them at a time, and swizzle; if rows or columns are, split them by 8 and 8, reorder "
                    "the terms between the outer parts and these, pack, and swizzle by 8");
}

/// Returns the position of an element before the swizzle, which the instruction applies itself.
inline lane_linear warpgroup_emitter::position(warpgroup_tile const& t, matrix_operand const& of, std::int64_t v,
                                               std::int64_t j, std::int64_t k) {
  return flat_form(of.from.extents, of.indices, [&](ir::expr const& i) {
    auto const placed = arith::substitute(i, {{t.virtuals.variable, ir::make_index(v)},
                                              {t.columns.variable, ir::make_index(j)},
                                              {t.terms.variable, ir::make_index(k)}});
    return indices_.index(arith::simplify(placed, kernel_.variables.ranges()));
  });
}

/// Returns the layout of an operand in lines, after checking its elements for all v and k, and for all threads.
inline operand_lines warpgroup_emitter::lines_of(warpgroup_tile const& t, matrix_operand const& of, bool left) {
  auto const require = [&](bool holds) { require_lines(t, of.from, holds); };
  require(of.from.swizzle == ir::buffer::chunks_of_banks);
  for (auto const& i : of.indices) require(!mentions(i, {t.virtuals.variable}) || !mentions(i, {t.terms.variable}));
  auto const begin = ir::constant_integer(t.virtuals.begin);
  operand_lines made;
  made.first = position(t, of, begin, 0, 0);
  auto const key = made.first.key();
  auto const distance = [&](std::int64_t v, std::int64_t j, std::int64_t k) {
    auto const other = position(t, of, v, j, k);
    require(other.key() == key);
    return other.constant - made.first.constant;
  };
  made.across = distance(begin, 0, 1) != 1;
  for (std::int64_t k = 0; k < warpgroup_product::terms; ++k) require(distance(begin, 0, k) == k * made.term_step());
  for (auto v = begin; v < ir::constant_integer(t.virtuals.end); ++v) {
    made.steps.push_back(distance(v, 0, 0));
    require(made.steps.back() % made.distance_of_eights(1) == 0);
  }
  if (!left) require(distance(begin, 1, 0) == made.row_step());
  check_threads(t, made, left);
  std::erase_if(made.first.terms, [](lane_linear::term const& term) {
    return term.value == lane_variable::quarter || term.value == lane_variable::row ||
           term.value == lane_variable::column;
  });
  return made;
}

/// Checks how positions depend on the parts of a thread's number.
inline void warpgroup_emitter::check_threads(warpgroup_tile const& t, operand_lines const& lines, bool left) const {
  using instruction = warpgroup_product;
  auto const quarter = left ? lines.distance_of_eights(instruction::thread_rows) : 0;
  auto const row = left ? lines.row_step() : 0;
  auto const column = left ? 0 : instruction::thread_columns * lines.row_step();
  if (coefficient_of(lines.first, lane_variable::quarter) != quarter ||
      coefficient_of(lines.first, lane_variable::row) != row ||
      coefficient_of(lines.first, lane_variable::column) != column)
    refuse_tile(kernel_.dialect.name(), t.columns.variable,
                "neighbouring threads differ otherwise: the 4 innermost must have 2 columns each, the 8 around them a "
                "row each, the 4 around those 16 rows each");
}

/// Requires that an operand begins where an instruction may begin, for all values of the variables, and independent of
/// the lane.
inline void warpgroup_emitter::check_begin(warpgroup_tile const& t, ir::buffer const& b, operand_lines const& lines,
                                           lane_linear const& begin) const {
  require_lines(t, b, lines.may_begin_at(begin.constant));
  for (auto const& term : begin.terms)
    require_lines(t, b,
                  term.coefficient % warpgroup_product::eight_lines == 0 && term.value.find('@') == std::string::npos);
}

// --------------------------------------------------------------------------------------------------------- products

/// Returns the sums of a tile in the order of the instruction's registers.
inline std::string warpgroup_emitter::sums_of(warpgroup_tile const& t, rows_of_64 const& of) {
  auto const& sums = *t.sum.to;
  std::string made;
  for (auto const v : of.threads)
    for (std::int64_t j = 0; j < warpgroup_product::thread_columns; ++j) {
      auto at = t.sum.indices;
      for (auto& i : at)
        i = arith::substitute(i, {{t.virtuals.variable, ir::make_index(v)}, {t.columns.variable, ir::make_index(j)}});
      auto const flat = indices_.flat_index(sums, at);
      if (!flat.is_constant() || !is_thread_memory(sums))
        refuse_tile(kernel_.dialect.name(), t.columns.variable,
                    sums.name + " is not each thread's own: store it in local memory");
      made += (made.empty() ? "" : ", ") + memory_.element(sums, flat);
    }
  return made;
}

/// Returns the descriptor of an operand that begins `start` elements behind that of the first virtual thread.
inline std::string warpgroup_emitter::descriptor(warpgroup_tile const& t, ir::buffer const& b,
                                                 operand_lines const& lines, std::int64_t start) {
  auto begin = lines.first;
  begin.constant += start;
  check_begin(t, b, lines, begin);
  auto const bytes = static_cast<std::int64_t>(size_in_bytes(b.type));
  std::string const function = "ttune_lines";
  kernel_.shared.define(function, [&] { return kernel_.dialect.matrices()->lines_function(function); });
  return loaded_.load(
      "unsigned long long", b.name + "_lines",
      function + "(" + memory_.pointer_to(b, begin) + ", " + std::to_string(lines.block_step * bytes) + ")");
}

/// Defines the functions of a product with so many columns; returns the name of the product's.
inline std::string warpgroup_emitter::define_product(warpgroup_tile const& t, operand_lines const& left,
                                                     operand_lines const& right, int columns) {
  auto const type = t.left.from.type;
  auto const name =
      "ttune_wgmma_" + std::string(ttune::name_of(type)) + "_" + (left.across ? "1" : "0") + (right.across ? "1" : "0");
  kernel_.shared.define(name + "_" + std::to_string(columns), [&] {
    return kernel_.dialect.matrices()->warpgroup_function(name, columns, type, left.across, right.across);
  });
  kernel_.shared.define("ttune_hold_" + std::to_string(columns),
                        [&] { return kernel_.dialect.matrices()->hold_function("ttune_hold", columns / 2); });
  return name;
}

/// Emits the products of all tiles for the current repetition. Returns the sums of each tile.
inline std::vector<std::string> warpgroup_emitter::emit_products(warpgroup_tile const& t) {
  auto const left = lines_of(t, t.left, true);
  auto right = lines_of(t, t.right, false);
  std::vector<std::string> sums;
  for (auto const& of : order_virtual_threads(t, left, right, kernel_.dialect)) {
    auto const a = descriptor(t, t.left.from, left, of.left);
    auto const b = descriptor(t, t.right.from, right, of.right);
    auto const product = define_product(t, left, right, of.columns());
    sums.push_back(sums_of(t, of));
    kernel_.text.line(product + "(" + a + ", " + b + ", " + sums.back() + ");");
  }
  return sums;
}

/// Emits the products for the iterations of the loops in `t.steps` from `depth` on, unrolled. Returns the sums of each
/// tile.
inline std::vector<std::string> warpgroup_emitter::emit_repeated_products(warpgroup_tile const& t, std::size_t depth) {
  if (depth == t.steps.size()) return emit_products(t);
  auto const& l = t.steps[depth];
  std::vector<std::string> sums;
  for (auto i = ir::constant_integer(l.begin); i < ir::constant_integer(l.end); ++i) {
    kernel_.variables.bind(l.variable, constant_index(i), {i, i});
    sums = emit_repeated_products(t, depth + 1);
  }
  kernel_.variables.unbind(l.variable);
  return sums;
}

/// Binds the parts of a thread's number that positions may depend on; those of a group are unknowns, not text.
inline void warpgroup_emitter::bind_thread_parts(warpgroup_tile const& t) {
  for (auto const* l : {&t.virtuals, &t.columns, &t.terms})
    kernel_.variables.limit(l->variable, {ir::constant_integer(l->begin), ir::constant_integer(l->end) - 1});
  if (groups() > 1) {
    auto const group = thread_number(kernel_) + " / " + std::to_string(warpgroup_product::threads);
    auto const name = declare_index(kernel_, "group", group, true);
    kernel_.variables.bind(lane_variable::group, kernel_.variables.atom(name, true), {0, groups() - 1});
  }
  auto const bind_unknown = [&](char const* part, std::int64_t values) {
    kernel_.variables.bind(part, kernel_.variables.atom(part, true), {0, values - 1});
  };
  bind_unknown(lane_variable::quarter, warpgroup_product::warps);
  bind_unknown(lane_variable::row, warpgroup_product::lanes_of_rows);
  bind_unknown(lane_variable::column, warpgroup_product::lanes_of_columns);
}

/// Keeps the compiler from moving uses of sums to the other side of this place.
inline void warpgroup_emitter::hold(std::vector<std::string> const& sums) {
  for (auto const& s : sums) kernel_.text.line("ttune_hold(" + s + ");");
}

/// Waits for all products but those of the last `in_flight` batches.
inline void warpgroup_emitter::await(int in_flight) {
  call("ttune_await_products_" + std::to_string(in_flight),
       [&](std::string const& name) { return kernel_.dialect.matrices()->await_products_function(name, in_flight); });
}

inline void warpgroup_emitter::finish() {
  if (in_flight_.empty()) return;
  await(0);
  hold(std::exchange(in_flight_, {}));
}

inline void warpgroup_emitter::emit(ir::matrix_multiply const& m) {
  warpgroup_tile const t(m);
  kernel_.text.open("");
  auto const saved = kernel_.variables.all();
  bind_thread_parts(t);
  std::vector<std::string> sums;
  auto const products = kernel_.text.captured([&] { sums = emit_repeated_products(t, 0); });
  hold(sums);
  call("ttune_begin_products",
       [&](std::string const& name) { return kernel_.dialect.matrices()->begin_products_function(name); });
  kernel_.text.append(products);
  call("ttune_close_products",
       [&](std::string const& name) { return kernel_.dialect.matrices()->close_products_function(name); });
  await(m.in_flight ? 1 : 0);
  hold(sums);
  if (m.in_flight) in_flight_ = std::move(sums);
  kernel_.variables.restore(saved);
  loaded_.clear();
  kernel_.text.close();
}

}}}}  // namespace ttune::v0::codegen::c_family
