// SPDX-License-Identifier: Apache-2.0
// Fragments: the part of a matrix product's operands that a lane holds (emitter_matrix.hpp), and its loads.
//
// From shared memory, fragments are loaded by ldmatrix, which loads one to four fragments of 8 x 8 elements of 16 bits
// for the whole warp. Lane 8 j + r provides the address of row r of piece j, 16 bytes; lane 4 g + t receives the t-th
// four bytes of row g.
//
//   terms are contiguous            a row of a piece is 16 bytes of terms of one row of the left operand, or of one
//                                   column of the right one: 8 terms of 16 bits, 16 bytes or 4 numbers of 32 bits
//   columns are contiguous,         a row of a piece is one term of 8 columns; ldmatrix.trans gives each lane two
//   elements of 16 bits             terms of one column
//
// Consecutive tiles share an instruction where possible. Four fragments are 512 bytes, four times the width of all
// banks: no fewer bank accesses than word by word, but one address and one instruction instead of two to eight.
//
// Otherwise each lane loads words. The terms may be in any order if both operands agree: if neither is loaded by
// ldmatrix (a GPU without it, operands in global memory), a lane takes adjacent terms, 8 bytes in one load.
#pragma once

#include "ttune/arith/simplify.hpp"
#include "ttune/codegen/c_family/emitter.hpp"
#include "ttune/codegen/c_family/lanes.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Returns the registers of both operands in the order of the instruction: rows vary fastest, then the halves of the
/// terms.
inline std::vector<std::string> c_emitter::fragments(matrix_tile const& t) {
  auto const left = find_fragments(t, true);
  auto const right = find_fragments(t, false);
  auto const by_words = [&](ir::access const& a, arith::substitution const& with) {
    auto made = indices_by_lanes(a);
    for (auto& i : made) i = arith::simplify(arith::substitute(i, with), ranges_);
    return made;
  };
  std::vector<std::vector<ir::expr>> rows;
  if (!left)
    for (int r = 0; r < matrix_product::thread_rows; ++r)
      rows.push_back(by_words(*t.left, {{t.rows->variable, ir::make_index(r)}}));
  auto const column = by_words(*t.right, {{detail::of_column, ir::make_variable(detail::of_owner)},
                                          {t.columns->variable, ir::make_variable(detail::of_part)}});
  bool const side_by_side =
      !left && !right &&
      (is_side_by_side(*t.left, rows[0], *t.terms, t.how) || is_side_by_side(*t.right, column, *t.terms, t.how));
  std::vector<std::string> made;
  if (left) made = loaded_fragments(t, *left);
  else {
    std::vector<std::vector<std::string>> words;
    for (auto const& row : rows) words.push_back(fragment(*t.left, row, *t.terms, t.how, side_by_side));
    for (std::size_t half = 0; half < static_cast<std::size_t>(t.how.halves); ++half)
      for (auto const& row : words) made.push_back(row[half]);
  }
  for (auto const& r : right ? loaded_fragments(t, *right) : fragment(*t.right, column, *t.terms, t.how, side_by_side))
    made.push_back(r);
  return made;
}

inline void c_emitter::forget_fragments() {
  fragments_.clear();
  loaded_fragments_.clear();
}

// -------------------------------------------------------------------------------------------- loads by a whole warp

inline void c_emitter::declare_fragment_rows() {
  if (variables_.contains(detail::of_piece)) return;
  auto const thread = "(" + type_name(dtype::index) + ")" + dialect_.thread_id(0);
  (void)declare_lane(detail::of_piece_row, "piece_row", thread + " % 8", 7);
  (void)declare_lane(detail::of_piece, "piece", thread + " % 32 / 8", 3);
}

/// Returns the start of row `@piece_row` of piece `number` of an operand of the tile. Pieces are numbered like
/// registers. `with` substitutes variables of surrounding loops.
inline lane_linear c_emitter::fragment_index(matrix_tile const& t, matrix_fragments const& of, ir::expr const& number,
                                             ir::expr const& column, arith::substitution const& with) {
  auto const row = ir::make_variable(detail::of_piece_row);
  auto const parts = matrix_product::thread_rows;
  auto const half = of.left ? detail::divided(number, parts) : number;
  arith::substitution places;
  if (of.left) {
    places[detail::of_row] = row;
    places[t.rows->variable] = detail::rest_of(number, parts);
  } else {
    auto const at = of.transposed ? column : row;
    places[detail::of_column] = detail::divided(at, matrix_product::thread_columns);
    places[t.columns->variable] = detail::rest_of(at, matrix_product::thread_columns);
  }
  auto const first = half * ir::make_index(t.how.terms / t.how.halves);
  places[t.terms->variable] = of.transposed ? first + row : first + column;
  std::vector<ir::expr> indices;
  for (auto const& i : of.access->indices)
    indices.push_back(arith::simplify(arith::substitute(by_lanes(arith::substitute(i, with)), places), ranges_));
  return flat_index(*of.from, indices);
}

/// Returns how an operand is loaded by ldmatrix; nothing if that is impossible.
inline std::optional<c_emitter::matrix_fragments> c_emitter::find_fragments(matrix_tile const& t, bool left) {
  auto const& access = left ? *t.left : *t.right;
  auto const& b = *std::get<handle<ir::buffer>>(access.from);
  if (place_of(b) != ir::memory::shared || !dialect_.loads_matrices(machine_)) return std::nullopt;
  declare_fragment_rows();
  auto const across = 16 / static_cast<int>(size_in_bytes(b.type));
  for (bool const transposed : {false, true}) {
    if (transposed && (left || size_in_bytes(b.type) != 2)) continue;
    matrix_fragments const made{&access, &b, left, transposed};
    auto const is_whole = [&](int piece) {
      return are_neighbours(b, across, [&](int column) {
        return fragment_index(t, made, ir::make_index(piece), ir::make_index(column), {});
      });
    };
    int const wanted = fragment_count(t, left);
    int whole = 0;
    while (whole < wanted && is_whole(whole)) ++whole;
    if (whole == wanted) return made;
  }
  return std::nullopt;
}

/// Finds the innermost unrolled loop around tiles that an operand depends on. Returns its variable, the current
/// iteration, and the number of iterations to load together: a power of two, at most `most`.
inline std::tuple<std::string, std::int64_t, int> c_emitter::next_tiles(ir::access const& a, int most) {
  for (auto l = repeated_.rbegin(); l != repeated_.rend(); ++l) {
    auto const& [loop, begin, end] = *l;
    if (std::none_of(a.indices.begin(), a.indices.end(),
                     [&](ir::expr const& i) { return detail::speaks_of(i, {loop->variable}); }))
      continue;
    auto const now = variables_.at(loop->variable).constant;
    while (most > 1 && ((now - begin) % most != 0 || now + most > end)) most /= 2;
    return {loop->variable, now, most};
  }
  return {"", 0, 1};
}

/// Returns the registers of an operand's fragments; one instruction also loads those of the next tiles.
inline std::vector<std::string> c_emitter::loaded_fragments(matrix_tile const& t, matrix_fragments const& of) {
  int const wanted = fragment_count(t, of.left);
  auto const [variable, now, tiles] = next_tiles(*of.access, 4 / wanted);
  auto const text = [&](ir::expr const& piece, ir::expr const& later) {
    arith::substitution with;
    if (tiles > 1) with[variable] = later + now;
    return offset(*of.from, fragment_index(t, of, piece, ir::make_index(0), with));
  };
  auto const all = detail::rest_of(ir::make_variable(detail::of_piece), wanted * tiles);
  auto const own = detail::rest_of(all, wanted);
  auto& known = loaded_fragments_[text(own, ir::make_index(0))];
  if (known.empty()) {
    std::vector<std::string> registers;
    std::string list;
    for (int i = 0; i < wanted * tiles; ++i) {
      registers.push_back(names_.fresh(of.from->name + "_piece"));
      list += registers.back() + ", ";
    }
    line("unsigned int " + list.substr(0, list.size() - 2) + ";");
    auto const name = "ttune_load_fragments_" + std::to_string(wanted * tiles) + (of.transposed ? "_transposed" : "");
    if (!helpers_.contains(name)) helpers_[name] = dialect_.matrix_load_function(name, wanted * tiles, of.transposed);
    line(name + "(" + list + text(own, detail::divided(all, wanted)) + ");");
    for (int i = tiles; i-- > 0;)
      loaded_fragments_[text(own, ir::make_index(i))].assign(registers.begin() + i * wanted,
                                                             registers.begin() + (i + 1) * wanted);
  }
  if (of.from->type != dtype::f32) return known;
  std::vector<std::string> rounded;
  for (auto const& r : known) rounded.push_back(as_tf32(*of.from, "__uint_as_float(" + r + ")"));
  return rounded;
}

// ------------------------------------------------------------------------------------------- loads by a single lane

/// Returns the position of term `q` of register `half`.
inline lane_linear c_emitter::term_index(ir::buffer const& b, std::vector<ir::expr> const& indices,
                                         ir::loop const& terms, matrix_product const& how, bool side_by_side, int half,
                                         int q) {
  auto const column = ir::make_variable(detail::of_column);
  auto const p = how.together();
  auto const at = side_by_side ? column * ir::make_index(p * how.halves) + ir::make_index(half * p + q)
                               : column * ir::make_index(p) + ir::make_index(half * how.terms / how.halves + q);
  std::vector<ir::expr> placed;
  for (auto const& i : indices) placed.push_back(arith::simplify(arith::substitute(i, terms.variable, at), ranges_));
  return flat_index(b, placed);
}

/// Returns true if `count` elements are contiguous and the first one is at a multiple of `count`.
template <class Place>
bool c_emitter::are_neighbours(ir::buffer const& b, int count, Place const& place) {
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

/// Returns true if the terms of a lane are one or two aligned words.
inline bool c_emitter::is_side_by_side(ir::access const& a, std::vector<ir::expr> const& indices, ir::loop const& terms,
                                       matrix_product const& how) {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  return are_neighbours(b, how.halves * how.together(), [&](int i) {
    return term_index(b, indices, terms, how, true, i / how.together(), i % how.together());
  });
}

inline std::string c_emitter::loaded_once(std::string const& type, std::string const& name, std::string const& text) {
  auto& known = fragments_[text];
  if (known.empty()) {
    known = names_.fresh(name);
    line("const " + type + " " + known + " = " + text + ";");
  }
  return known;
}

inline std::string c_emitter::as_tf32(ir::buffer const& from, std::string const& element) {
  std::string const name = "ttune_to_tf32";
  if (!helpers_.contains(name)) helpers_[name] = dialect_.tf32_function(name);
  return loaded_once("unsigned int", from.name + "_rounded", name + "(" + element + ")");
}

/// Returns the registers of one row of the left operand, or of one column of the right one, by halves of the terms.
inline std::vector<std::string> c_emitter::fragment(ir::access const& a, std::vector<ir::expr> const& indices,
                                                    ir::loop const& terms, matrix_product const& how,
                                                    bool side_by_side) {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  if (side_by_side && is_side_by_side(a, indices, terms, how)) {
    auto const from = offset(b, term_index(b, indices, terms, how, true, 0, 0));
    auto const loaded = [&](std::string const& type) {
      return loaded_once(type, b.name + "_terms", "*(const " + type + "*)(" + from + ")");
    };
    bool const rounds = b.type == dtype::f32;
    if (how.halves == 1) return rounds ? std::vector{as_tf32(b, loaded("float"))} : std::vector{loaded("unsigned int")};
    auto const pair = loaded(rounds ? "float2" : "uint2");
    if (rounds) return {as_tf32(b, pair + ".x"), as_tf32(b, pair + ".y")};
    return {pair + ".x", pair + ".y"};
  }
  std::vector<std::string> made;
  if (b.type == dtype::f32) {
    for (int half = 0; half < how.halves; ++half)
      made.push_back(as_tf32(b, element(b, term_index(b, indices, terms, how, side_by_side, half, 0))));
    return made;
  }
  auto const bits = 8 * static_cast<int>(size_in_bytes(b.type));
  auto const place = [&](int half, int q) { return term_index(b, indices, terms, how, side_by_side, half, q); };
  for (int half = 0; half < how.halves; ++half) {
    if (are_neighbours(b, how.together(), [&](int q) { return place(half, q); })) {
      made.push_back(
          loaded_once("unsigned int", b.name + "_terms", "*(const unsigned int*)(" + offset(b, place(half, 0)) + ")"));
      continue;
    }
    std::string text;
    for (int q = 0; q < how.together(); ++q) {
      auto const raw = element(b, place(half, q));
      auto const wide = (b.type == dtype::i8 ? "(unsigned int)(unsigned char)" : "(unsigned int)") + raw;
      text += (q != 0 ? " | " : "") + wide + (q != 0 ? " << " + std::to_string(q * bits) : "");
    }
    made.push_back(loaded_once("unsigned int", b.name + "_terms", text));
  }
  return made;
}

}}}  // namespace ttune::v0::codegen
