// SPDX-License-Identifier: Apache-2.0
// Fragments: the part of a matrix product's operands that a lane holds (matrix_emitter.hpp), and its loads by single
// lanes. warp_load_emitter.hpp has the loads by a whole warp, from shared memory.
//
// The terms may be in any order if both operands agree: if neither is loaded by a whole warp (a GPU without such loads,
// operands in global memory), a lane takes adjacent terms, 8 bytes in one load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/load_cache.hpp"
#include "ttune/codegen/c_family/matrix_tile.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"
#include "ttune/codegen/c_family/warp_load_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: matrix tiles, whose lanes are declared. Out: the names of registers with both operands. Tiles in sequence reuse
/// what is loaded, until `forget`.
class fragment_emitter {
 public:
  fragment_emitter(kernel_state& kernel, index_emitter& indices, memory_emitter& memory)
      : kernel_(kernel), indices_(indices), memory_(memory), loaded_(kernel), warp_loads_(kernel, indices, memory) {}

  /// Returns the registers of both operands in the order of the instruction: rows vary fastest, then the halves of the
  /// terms.
  [[nodiscard]] std::vector<std::string> load(matrix_tile const& t);
  void forget();

  /// Records an unrolled loop around tiles in sequence.
  void enter_loop(ir::loop const& l, std::int64_t begin, std::int64_t end) { warp_loads_.enter_loop(l, begin, end); }
  void leave_loop() { warp_loads_.leave_loop(); }

 private:
  /// One row of the left operand, or one column of the right one.
  struct line_of_terms {
    ir::buffer const& from;
    std::vector<ir::expr> indices;  ///< in terms of lanes
    matrix_tile const* tile = nullptr;
    bool adjacent_terms = false;  ///< a lane takes terms next to each other, in one load
    [[nodiscard]] matrix_product const& how() const { return tile->how; }
  };

  [[nodiscard]] line_of_terms line(matrix_tile const& t, matrix_operand const& of,
                                   arith::substitution const& with) const;
  [[nodiscard]] lane_linear term_index(line_of_terms const& l, int half, int term);
  [[nodiscard]] bool has_adjacent_terms(line_of_terms l);
  [[nodiscard]] std::vector<std::string> load_line(line_of_terms const& l);
  [[nodiscard]] std::vector<std::string> load_adjacent_terms(line_of_terms const& l);
  [[nodiscard]] std::string load_half(line_of_terms const& l, int half);
  [[nodiscard]] std::string rounded(ir::buffer const& from, std::string const& element);
  [[nodiscard]] std::vector<std::string> load_by_warp(matrix_tile const& t, warp_load const& load);

  kernel_state& kernel_;
  index_emitter& indices_;
  memory_emitter& memory_;
  load_cache loaded_;
  warp_load_emitter warp_loads_;
};

inline void fragment_emitter::forget() {
  loaded_.clear();
  warp_loads_.forget();
}

inline std::vector<std::string> fragment_emitter::load(matrix_tile const& t) {
  auto const left = warp_loads_.find(t, true);
  auto const right = warp_loads_.find(t, false);
  std::vector<line_of_terms> rows;
  if (!left)
    for (int r = 0; r < matrix_product::thread_rows; ++r)
      rows.push_back(line(t, t.left, {{t.rows, ir::make_index(r)}}));
  auto column = line(t, t.right,
                     {{lane_variable::column, ir::make_variable(lane_variable::owner)},
                      {t.columns, ir::make_variable(lane_variable::part)}});
  bool const adjacent_terms = !left && !right && (has_adjacent_terms(rows[0]) || has_adjacent_terms(column));
  for (auto& row : rows) row.adjacent_terms = adjacent_terms;
  column.adjacent_terms = adjacent_terms;
  std::vector<std::string> made;
  if (left) made = load_by_warp(t, *left);
  else {
    std::vector<std::vector<std::string>> words;
    for (auto const& row : rows) words.push_back(load_line(row));
    for (std::size_t half = 0; half < static_cast<std::size_t>(t.how.halves); ++half)
      for (auto const& row : words) made.push_back(row[half]);
  }
  for (auto const& r : right ? load_by_warp(t, *right) : load_line(column)) made.push_back(r);
  return made;
}

inline std::vector<std::string> fragment_emitter::load_by_warp(matrix_tile const& t, warp_load const& load) {
  auto registers = warp_loads_.load(t, load);
  if (load.operand.from.type != dtype::f32) return registers;
  for (auto& r : registers) r = rounded(load.operand.from, "__uint_as_float(" + r + ")");
  return registers;
}

// ---------------------------------------------------------------------------------------------------- terms of a lane

inline fragment_emitter::line_of_terms fragment_emitter::line(matrix_tile const& t, matrix_operand const& of,
                                                              arith::substitution const& with) const {
  line_of_terms made{of.from, of.indices, &t};
  for (auto& i : made.indices) i = arith::simplify(arith::substitute(i, with), kernel_.variables.ranges());
  return made;
}

/// Returns the position of a term of register `half`.
inline lane_linear fragment_emitter::term_index(line_of_terms const& l, int half, int term) {
  auto const column = ir::make_variable(lane_variable::column);
  auto const together = l.how().together();
  auto const at =
      l.adjacent_terms
          ? column * ir::make_index(together * l.how().halves) + ir::make_index(half * together + term)
          : column * ir::make_index(together) + ir::make_index(half * l.how().terms / l.how().halves + term);
  std::vector<ir::expr> placed;
  for (auto const& i : l.indices)
    placed.push_back(arith::simplify(arith::substitute(i, l.tile->terms, at), kernel_.variables.ranges()));
  return indices_.flat_index(l.from, placed);
}

/// Returns true if the terms of a lane are one or two aligned words.
inline bool fragment_emitter::has_adjacent_terms(line_of_terms l) {
  l.adjacent_terms = true;
  auto const together = l.how().together();
  return are_adjacent(l.from, l.how().halves * together,
                      [&](int i) { return term_index(l, i / together, i % together); });
}

/// Returns the registers of a line by halves of the terms.
inline std::vector<std::string> fragment_emitter::load_line(line_of_terms const& l) {
  if (l.adjacent_terms && has_adjacent_terms(l)) return load_adjacent_terms(l);
  std::vector<std::string> made;
  for (int half = 0; half < l.how().halves; ++half) made.push_back(load_half(l, half));
  return made;
}

inline std::vector<std::string> fragment_emitter::load_adjacent_terms(line_of_terms const& l) {
  auto const& b = l.from;
  auto const from = memory_.pointer_to(b, term_index(l, 0, 0));
  auto const loaded = [&](std::string const& type) {
    return loaded_.load(type, b.name + "_terms", "*(const " + type + "*)(" + from + ")");
  };
  bool const rounds = b.type == dtype::f32;
  if (l.how().halves == 1) return {rounds ? rounded(b, loaded("float")) : loaded("unsigned int")};
  auto const pair = loaded(rounds ? "float2" : "uint2");
  if (!rounds) return {pair + ".x", pair + ".y"};
  return {rounded(b, pair + ".x"), rounded(b, pair + ".y")};
}

/// Loads one register: a word, or its elements one by one.
inline std::string fragment_emitter::load_half(line_of_terms const& l, int half) {
  auto const& b = l.from;
  auto const together = l.how().together();
  if (b.type == dtype::f32) return rounded(b, memory_.element(b, term_index(l, half, 0)));
  auto const name = b.name + "_terms";
  if (are_adjacent(b, together, [&](int term) { return term_index(l, half, term); }))
    return loaded_.load("unsigned int", name,
                        "*(const unsigned int*)(" + memory_.pointer_to(b, term_index(l, half, 0)) + ")");
  auto const bits = 8 * static_cast<int>(size_in_bytes(b.type));
  std::string text;
  for (int term = 0; term < together; ++term) {
    auto const element = memory_.element(b, term_index(l, half, term));
    auto const wide = (b.type == dtype::i8 ? "(unsigned int)(unsigned char)" : "(unsigned int)") + element;
    text += (term != 0 ? " | " : "") + wide + (term != 0 ? " << " + std::to_string(term * bits) : "");
  }
  return loaded_.load("unsigned int", name, text);
}

/// Returns a number rounded to TF32.
inline std::string fragment_emitter::rounded(ir::buffer const& from, std::string const& element) {
  std::string const name = "ttune_to_tf32";
  kernel_.shared.define(name, [&] { return kernel_.dialect.matrices()->tf32_function(name); });
  return loaded_.load("unsigned int", from.name + "_rounded", name + "(" + element + ")");
}

}}}}  // namespace ttune::v0::codegen::c_family
