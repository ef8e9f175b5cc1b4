// SPDX-License-Identifier: Apache-2.0
// Products of matrices in the registers of a core for tiles (core/tile_product.hpp).
//
//   tile_multiply acc[r, ci * 16 + c] += …, ko < 8, ci < 2, r < 16, c < 16, k < 32   →
//
//     load the tiles of sums, ci < 2, into registers
//     for ko < 8
//       load a tile of A; for each ci: load a tile of B, multiply
//     store the tiles of sums
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/llvm/buffer_addresses.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/codegen/llvm/ir_writer.hpp"
#include "ttune/core/tile_product.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/statement_queries.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Statements of lowering/match_tile_products.hpp come in. Registers for tiles hold the sums during all loops of a
/// statement, and the operands: the tile that was used longest ago is overwritten.
class tile_emitter {
 public:
  tile_emitter(ir_writer& writer, function_state& state, buffer_addresses& addresses, index_emitter& indices,
               body_emitter& statements)
      : writer_(writer), state_(state), addresses_(addresses), indices_(indices), statements_(statements) {}

  void emit(ir::matrix_multiply const& n) {
    if (in_loops_) return multiply(n);
    sums_ = places_of_sums(n, 0);
    assign_registers(n);
    configure();
    for (std::size_t i = 0; i < sums_.size(); ++i)
      n.from_zero ? writer_.line(call("tilezero", {{"i8", std::to_string(i)}}))
                  : move("tileloadd64", static_cast<int>(i), sums_[i]);
    in_loops_ = true;
    statements_.emit(loops_around_tile(n));
    in_loops_ = false;
    for (std::size_t i = 0; i < sums_.size(); ++i) move("tilestored64", static_cast<int>(i), sums_[i]);
    if (!after_statement_.empty()) writer_.line(after_statement_);
    writer_.open_frames().forget_loads(n.sum.to->name);
  }

 private:
  static constexpr std::size_t loops_of_tile = 3;

  /// The first element of a tile, and the distance between its rows.
  struct place {
    ir::buffer const* in = nullptr;
    lane_linear first;
    std::int64_t row_bytes = tile_product::row_bytes;
    friend bool operator==(place const& a, place const& b) {
      return a.in == b.in && a.row_bytes == b.row_bytes && a.first.constant == b.first.constant &&
             a.first.terms == b.first.terms;
    }
  };

  /// A register for tiles of an operand.
  struct operand_register {
    int number = 0;
    place holds;
    std::string block;  ///< the block of the text in which the content is known
    int last_use = 0;
  };

  [[nodiscard]] static ir::loop const& rows(ir::matrix_multiply const& n) { return n.loops[n.loops.size() - 3]; }
  [[nodiscard]] static ir::loop const& columns(ir::matrix_multiply const& n) { return n.loops[n.loops.size() - 2]; }
  [[nodiscard]] static ir::loop const& terms(ir::matrix_multiply const& n) { return n.loops.back(); }
  [[nodiscard]] static tile_product instruction_of(ir::matrix_multiply const& n) {
    return *tile_product_of(n.left->type, n.right->type, n.sum.to->type);
  }

  // ------------------------------------------------------------------------------------------------- places

  [[nodiscard]] lane_linear element(ir::buffer const& in, std::vector<ir::expr> const& indices, ir::loop const& rows,
                                    int row) {
    state_.set_variable(rows.variable, row);
    return indices_.flat_index(in, indices);
  }

  /// Returns the place of a tile whose rows are `step` iterations of a loop apart.
  [[nodiscard]] place place_of(ir::source const& from, std::vector<ir::expr> const& indices, ir::loop const& rows,
                               int step) {
    place made;
    made.in = std::get<handle<ir::buffer>>(from).get();
    made.first = element(*made.in, indices, rows, 0);
    if (ir::extent_from_zero(rows) > step) {
      auto const apart = element(*made.in, indices, rows, step).constant - made.first.constant;
      made.row_bytes = apart * static_cast<std::int64_t>(size_in_bytes(made.in->type));
    }
    state_.set_variable(rows.variable, 0);
    return made;
  }

  /// Calls `use` with the variables of a tile's loops at 0; they are unknown afterwards.
  template <class Use>
  auto at_first_element(ir::matrix_multiply const& n, Use const& use) {
    for (auto l = n.loops.end() - loops_of_tile; l != n.loops.end(); ++l) state_.set_variable(l->variable, 0);
    auto made = use();
    for (auto l = n.loops.end() - loops_of_tile; l != n.loops.end(); ++l) state_.variables.erase(l->variable);
    return made;
  }

  [[nodiscard]] place place_of_sum(ir::matrix_multiply const& n) {
    return at_first_element(n, [&] { return place_of(n.sum.to, n.sum.indices, rows(n), 1); });
  }

  /// Returns the places of all sums; loops from `level` on have no values yet.
  [[nodiscard]] std::vector<place> places_of_sums(ir::matrix_multiply const& n, std::size_t level) {
    if (level + loops_of_tile == n.loops.size()) return {place_of_sum(n)};
    auto const& l = n.loops[level];
    if (!ir::any_mentions(n.sum.indices, l.variable)) return places_of_sums(n, level + 1);
    std::vector<place> made;
    for (auto i = ir::constant_integer(l.begin); i < ir::constant_integer(l.end); ++i) {
      state_.set_variable(l.variable, i);
      for (auto& p : places_of_sums(n, level + 1)) made.push_back(std::move(p));
    }
    state_.variables.erase(l.variable);
    return made;
  }

  // ---------------------------------------------------------------------------------------------- registers

  /// Divides the registers: those of sums first, then those of left operands, then those of right ones. All of a kind
  /// have the same rows and columns.
  void assign_registers(ir::matrix_multiply const& n) {
    auto const how = instruction_of(n);
    auto const of = [&](ir::loop const& l) { return static_cast<int>(ir::extent_from_zero(l)); };
    auto const sums = static_cast<int>(sums_.size());
    auto const middle = sums + (tile_product::registers - sums) / 2;
    left_.clear();
    right_.clear();
    configuration_.assign(64, 0);
    configuration_[0] = 1;  // the palette with eight registers
    for (int i = 0; i < tile_product::registers; ++i) {
      bool const is_left = i >= sums && i < middle;
      bool const is_right = i >= middle;
      if (is_left) left_.push_back({i, {}, {}, 0});
      if (is_right) right_.push_back({i, {}, {}, 0});
      set_shape(i, is_right ? of(terms(n)) / how.together : of(rows(n)),
                is_left ? of(terms(n)) * 4 / how.together : of(columns(n)) * 4);
    }
  }
  void set_shape(int number, int rows, int bytes) {
    constexpr std::size_t bytes_of_registers = 16;
    constexpr std::size_t rows_of_registers = 48;
    auto const i = static_cast<std::size_t>(number);
    configuration_[bytes_of_registers + 2 * i] = static_cast<std::uint8_t>(bytes);
    configuration_[rows_of_registers + i] = static_cast<std::uint8_t>(rows);
  }

  /// Configures the registers: for all statements of a task that need the same, once, as it takes 100 ns; outside of
  /// tasks, which may start some, for this statement.
  void configure() {
    auto const table = writer_.bytes(configuration_);
    auto& frames = writer_.open_frames();
    if (state_.in_task && !frames.find_known(0, of_function)) {
      frames.remember(of_function, table);
      writer_.first_line(call("ldtilecfg", {{"ptr", table}}));
      writer_.last_line(call("tilerelease", {}));
    }
    auto const* usual = frames.find_known(0, of_function);
    after_statement_ = usual && *usual == table ? std::string()
                       : usual                  ? call("ldtilecfg", {{"ptr", *usual}})
                                                : call("tilerelease", {});
    if (!after_statement_.empty()) writer_.line(call("ldtilecfg", {{"ptr", table}}));
  }

  /// Returns the register that holds a tile of an operand, after loading it if there is none.
  [[nodiscard]] int holding(std::vector<operand_register>& some, place const& wanted) {
    auto* oldest = &some.front();
    for (auto& r : some) {
      if (r.block == writer_.label() && r.holds == wanted) {
        r.last_use = ++uses_;
        return r.number;
      }
      if (r.last_use < oldest->last_use) oldest = &r;
    }
    *oldest = {oldest->number, wanted, writer_.label(), ++uses_};
    move("tileloadd64", oldest->number, wanted);
    return oldest->number;
  }

  // ------------------------------------------------------------------------------------------- instructions

  struct argument {
    char const* type;
    std::string text;
  };
  [[nodiscard]] std::string call(std::string const& instruction, std::vector<argument> const& arguments) {
    std::string types, list;
    for (auto const& a : arguments) {
      types += (types.empty() ? "" : ", ") + std::string(a.type);
      list += (list.empty() ? "" : ", ") + std::string(a.type) + " " + a.text;
    }
    writer_.declare("declare void @llvm.x86." + instruction + "(" + types + ")");
    return "call void @llvm.x86." + instruction + "(" + list + ")";
  }

  /// Loads or stores a register.
  void move(std::string const& instruction, int number, place const& at) {
    auto const pointer = addresses_.pointer(*at.in, at.first);
    writer_.line(
        call(instruction, {{"i8", std::to_string(number)}, {"ptr", pointer}, {"i64", std::to_string(at.row_bytes)}}));
  }

  /// Emits one product; the variables of the loops around it have values.
  void multiply(ir::matrix_multiply const& n) {
    auto const how = instruction_of(n);
    auto const& left = *ir::as<ir::access>(n.left);
    auto const& right = *ir::as<ir::access>(n.right);
    auto const sum = place_of_sum(n);
    auto const a = at_first_element(n, [&] { return place_of(left.from, left.indices, rows(n), 1); });
    auto const b = at_first_element(n, [&] { return place_of(right.from, right.indices, terms(n), how.together); });
    std::size_t number = 0;
    while (!(sums_[number] == sum)) ++number;
    auto const first = holding(left_, a);
    auto const second = holding(right_, b);
    writer_.line(call(how.instruction,
                      {{"i8", std::to_string(number)}, {"i8", std::to_string(first)}, {"i8", std::to_string(second)}}));
  }

  [[nodiscard]] static ir::stmt loops_around_tile(ir::matrix_multiply const& n) {
    auto tile = n;
    tile.loops.erase(tile.loops.begin(), tile.loops.end() - loops_of_tile);
    auto made = ir::make_statement(std::move(tile));
    for (auto l = n.loops.rbegin() + loops_of_tile; l != n.loops.rend(); ++l)
      made = ir::make_loop(l->variable, l->begin, l->end, l->kind, std::move(made));
    return made;
  }

  static constexpr char const* of_function = "configuration of tiles";

  ir_writer& writer_;
  function_state& state_;
  buffer_addresses& addresses_;
  index_emitter& indices_;
  body_emitter& statements_;
  std::vector<place> sums_;  ///< the tile in each of the first registers
  std::vector<operand_register> left_, right_;
  std::vector<std::uint8_t> configuration_;
  std::string after_statement_;  ///< restores the function's configuration; empty if the statement has the same
  int uses_ = 0;
  bool in_loops_ = false;  ///< the loops of a statement are being written
};

}}}}  // namespace ttune::v0::codegen::llvm
