// SPDX-License-Identifier: Apache-2.0
// Loads of a matrix product's operands by a whole warp (ldmatrix), from shared memory: one instruction loads one to
// four fragments of 8 x 8 elements of 16 bits. Lane 8 j + r provides the address of row r of piece j, 16 bytes; lane 4
// g + t receives the t-th four bytes of row g.
//
//   terms are contiguous            a row of a piece is 16 bytes of terms of one row of the left operand, or of one
//                                   column of the right one: 8 terms of 16 bits, 16 bytes or 4 numbers of 32 bits
//   columns are contiguous,         a row of a piece is one term of 8 columns; ldmatrix.trans gives each lane two
//   elements of 16 bits             terms of one column
//
// Consecutive tiles share an instruction where possible. Four fragments are 512 bytes, four times the width of all
// banks: no fewer bank accesses than word by word, but one address and one instruction instead of two to eight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/codegen/c_family/index_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/matrix_tile.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// An operand that a whole warp loads.
struct warp_load {
  matrix_operand operand;
  bool left = false;
  bool transposed = false;  ///< columns are contiguous, not terms
};

/// Returns true if `count` elements are contiguous and the first one is at a multiple of `count`. `place(i)` returns
/// the position of element i.
template <class Place>
[[nodiscard]] bool are_adjacent(ir::buffer const& b, int count, Place const& place) {
  auto const first = place(0);
  bool found = b.content.empty() && first.constant % count == 0 &&
               std::all_of(first.terms.begin(), first.terms.end(),
                           [&](lane_linear::term const& t) { return t.coefficient % count == 0; });
  for (int i = 1; found && i < count; ++i) {
    auto const at = place(i);
    found = at.constant == first.constant + i && at.key() == first.key();
  }
  return found;
}

/// In: matrix tiles, and the unrolled loops around them. Out: the names of registers with an operand. What is loaded is
/// reused until `forget`.
class warp_load_emitter {
 public:
  warp_load_emitter(kernel_state& kernel, index_emitter& indices, memory_emitter& memory)
      : kernel_(kernel), indices_(indices), memory_(memory) {}

  /// Records an unrolled loop around tiles in sequence.
  void enter_loop(ir::loop const& l, std::int64_t begin, std::int64_t end) { tile_loops_.push_back({&l, begin, end}); }
  void leave_loop() { tile_loops_.pop_back(); }
  void forget() { loaded_.clear(); }

  /// Returns how an operand is loaded; nothing if that is impossible.
  [[nodiscard]] std::optional<warp_load> find(matrix_tile const& t, bool left);
  /// Returns the registers of an operand; one instruction also loads those of the next tiles.
  [[nodiscard]] std::vector<std::string> load(matrix_tile const& t, warp_load const& of);

 private:
  struct tile_loop {
    ir::loop const* loop;
    std::int64_t begin;
    std::int64_t end;
  };
  /// Tiles whose operands are loaded together: `count` iterations of a loop from `first`.
  struct tile_group {
    std::string variable;
    std::int64_t first = 0;
    int count = 1;
  };

  [[nodiscard]] static int pieces_of(matrix_tile const& t, bool left) {
    return (left ? matrix_product::thread_rows : 1) * t.how.halves;
  }
  void declare_rows_of_pieces();
  [[nodiscard]] lane_linear row_of_piece(matrix_tile const& t, warp_load const& of, ir::expr const& piece,
                                         ir::expr const& column, arith::substitution const& with);
  [[nodiscard]] std::string address(matrix_tile const& t, warp_load const& of, tile_group const& tiles,
                                    ir::expr const& piece, ir::expr const& tile);
  [[nodiscard]] tile_group next_tiles(matrix_operand const& of, int most) const;
  [[nodiscard]] std::vector<std::string> emit_load(warp_load const& of, int registers, std::string const& address);

  kernel_state& kernel_;
  index_emitter& indices_;
  memory_emitter& memory_;
  std::vector<tile_loop> tile_loops_;                       ///< the innermost last
  std::map<std::string, std::vector<std::string>> loaded_;  ///< registers by address
};

inline void warp_load_emitter::declare_rows_of_pieces() {
  if (kernel_.variables.contains(lane_variable::piece)) return;
  auto const thread = thread_number(kernel_);
  (void)declare_lane_variable(kernel_, lane_variable::piece_row, "piece_row", thread + " % 8", 7);
  (void)declare_lane_variable(kernel_, lane_variable::piece, "piece", thread + " % 32 / 8", 3);
}

inline std::optional<warp_load> warp_load_emitter::find(matrix_tile const& t, bool left) {
  auto const& operand = left ? t.left : t.right;
  auto const& b = operand.from;
  if (memory_space_of(b, kernel_) != ir::memory::shared || !kernel_.dialect.matrices()->loads_matrices(kernel_.machine))
    return std::nullopt;
  declare_rows_of_pieces();
  auto const elements_of_row = 16 / static_cast<int>(size_in_bytes(b.type));
  for (bool const transposed : {false, true}) {
    if (transposed && (left || size_in_bytes(b.type) != 2)) continue;
    warp_load const made{operand, left, transposed};
    auto const is_whole = [&](int piece) {
      return are_adjacent(b, elements_of_row, [&](int column) {
        return row_of_piece(t, made, ir::make_index(piece), ir::make_index(column), {});
      });
    };
    int const wanted = pieces_of(t, left);
    int whole = 0;
    while (whole < wanted && is_whole(whole)) ++whole;
    if (whole == wanted) return made;
  }
  return std::nullopt;
}

/// Returns the position of `column` in row `@piece_row` of a piece of an operand. Pieces are numbered like registers.
/// `with` substitutes variables of surrounding loops.
inline lane_linear warp_load_emitter::row_of_piece(matrix_tile const& t, warp_load const& of, ir::expr const& piece,
                                                   ir::expr const& column, arith::substitution const& with) {
  auto const row = ir::make_variable(lane_variable::piece_row);
  auto const parts = matrix_product::thread_rows;
  auto const half = of.left ? divided(piece, parts) : piece;
  arith::substitution places;
  if (of.left) {
    places[lane_variable::row] = row;
    places[t.rows] = rest_of(piece, parts);
  } else {
    auto const at = of.transposed ? column : row;
    places[lane_variable::column] = divided(at, matrix_product::thread_columns);
    places[t.columns] = rest_of(at, matrix_product::thread_columns);
  }
  auto const first = half * ir::make_index(t.how.terms / t.how.halves);
  places[t.terms] = of.transposed ? first + row : first + column;
  std::vector<ir::expr> indices;
  for (auto const& i : of.operand.indices)
    indices.push_back(
        arith::simplify(arith::substitute(arith::substitute(i, with), places), kernel_.variables.ranges()));
  return indices_.flat_index(of.operand.from, indices);
}

/// Finds the innermost unrolled loop around tiles that an operand depends on. The number of tiles to load together is a
/// power of two, at most `most`.
inline warp_load_emitter::tile_group warp_load_emitter::next_tiles(matrix_operand const& of, int most) const {
  for (auto l = tile_loops_.rbegin(); l != tile_loops_.rend(); ++l) {
    if (!any_mentions(of.indices, l->loop->variable)) continue;
    auto const now = kernel_.variables.at(l->loop->variable).constant;
    while (most > 1 && ((now - l->begin) % most != 0 || now + most > l->end)) most /= 2;
    return {l->loop->variable, now, most};
  }
  return {};
}

/// Returns the address that a lane provides for a piece; `tile` counts from the first tile of the group.
inline std::string warp_load_emitter::address(matrix_tile const& t, warp_load const& of, tile_group const& tiles,
                                              ir::expr const& piece, ir::expr const& tile) {
  arith::substitution with;
  if (tiles.count > 1) with[tiles.variable] = tile + tiles.first;
  return memory_.pointer_to(of.operand.from, row_of_piece(t, of, piece, ir::make_index(0), with));
}

/// Writes a load; returns its registers.
inline std::vector<std::string> warp_load_emitter::emit_load(warp_load const& of, int registers,
                                                             std::string const& address) {
  std::vector<std::string> names;
  std::string list;
  for (int i = 0; i < registers; ++i) {
    names.push_back(kernel_.text.fresh(of.operand.from.name + "_piece"));
    list += names.back() + ", ";
  }
  kernel_.text.line("unsigned int " + list.substr(0, list.size() - 2) + ";");
  auto const name = "ttune_load_fragments_" + std::to_string(registers) + (of.transposed ? "_transposed" : "");
  kernel_.shared.define(
      name, [&] { return kernel_.dialect.matrices()->matrix_load_function(name, registers, of.transposed); });
  kernel_.text.line(name + "(" + list + address + ");");
  return names;
}

inline std::vector<std::string> warp_load_emitter::load(matrix_tile const& t, warp_load const& of) {
  constexpr int most_pieces = 4;
  int const wanted = pieces_of(t, of.left);
  auto const tiles = next_tiles(of.operand, most_pieces / wanted);
  int const pieces = wanted * tiles.count;
  auto const piece = rest_of(ir::make_variable(lane_variable::piece), pieces);
  auto const piece_of_tile = rest_of(piece, wanted);
  auto const address_of_tile = [&](ir::expr const& tile) { return address(t, of, tiles, piece_of_tile, tile); };
  auto const key = address_of_tile(ir::make_index(0));
  if (auto const known = loaded_.find(key); known != loaded_.end()) return known->second;
  auto const registers = emit_load(of, pieces, address_of_tile(divided(piece, wanted)));
  for (int tile = tiles.count; tile-- > 0;)
    loaded_[address_of_tile(ir::make_index(tile))].assign(registers.begin() + tile * wanted,
                                                          registers.begin() + (tile + 1) * wanted);
  return loaded_[key];
}

}}}}  // namespace ttune::v0::codegen::c_family
