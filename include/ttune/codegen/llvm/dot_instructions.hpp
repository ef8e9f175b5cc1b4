// SPDX-License-Identifier: Apache-2.0
// Dot-product instructions (core/dot_product.hpp) for all lanes, and what stands for them where a machine has none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "ttune/codegen/llvm/load_emitter.hpp"
#include "ttune/core/dot_product.hpp"
#include "ttune/ir/own_instruction.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Place of an operand of a dot product whose elements of one lane are neighbours in memory.
struct dot_operand {
  ir::buffer const* from = nullptr;
  lane_linear flat;
  dtype type = dtype::i8;
  int terms = 1;
  [[nodiscard]] bool in_lanes() const { return flat.lane != 0; }
  [[nodiscard]] int bits() const { return terms * 8 * static_cast<int>(size_in_bytes(type)); }
  [[nodiscard]] std::string lane_type() const { return "i" + std::to_string(bits()); }
};

/// Two operands and the sums so far come in, the new sums of all lanes go out. What is derived from one operand alone
/// is computed once for all instructions that use it.
class dot_instructions {
 public:
  dot_instructions(ir_writer& writer, function_state const& state, value_builder& values, buffer_addresses& addresses,
                   load_emitter& loads)
      : writer_(writer), state_(state), values_(values), addresses_(addresses), loads_(loads) {}

  /// Returns true if an instruction exists for these lanes: for 128 bits, doubled up to the machine's vector width.
  [[nodiscard]] bool exist_for(dot_product const& dot) const;
  /// Requires that `exist_for(dot)`, and that an operand varies by lane; of distances, exactly one.
  [[nodiscard]] std::string add(dot_product const& dot, dot_operand const& a, dot_operand const& b, value const& sum);

 private:
  [[nodiscard]] std::string bytes(dot_operand a, dot_operand b, std::string const& sum);
  [[nodiscard]] std::string words(dot_operand const& a, dot_operand const& b, std::string const& sum);
  [[nodiscard]] std::string bfloats(dot_operand const& a, dot_operand const& b, std::string const& sum);
  [[nodiscard]] std::string split_bfloats(dot_operand const& a, dot_operand const& b, std::string const& sum);
  [[nodiscard]] std::string distances(dot_operand const& same, dot_operand const& sliding, value const& sum);
  [[nodiscard]] std::string own(ir::own_instruction const& how, dot_operand const& a, dot_operand const& b,
                                value const& sum);
  [[nodiscard]] std::string load(dot_operand const& o);
  [[nodiscard]] std::string load_terms(dot_operand const& o);
  [[nodiscard]] std::string load_sliding(dot_operand const& o);
  [[nodiscard]] std::string computed_once(dot_operand const& o, std::string const& what, std::string const& text);

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
  buffer_addresses& addresses_;
  load_emitter& loads_;
};

inline bool dot_instructions::exist_for(dot_product const& dot) const {
  auto const& has = writer_.instructions();
  int const lanes = state_.lanes;
  if (dot.how == dot_method::own) return dot.own->lanes() == lanes;
  if (dot.how == dot_method::split_bfloats) return lanes > 1;
  if (dot.how == dot_method::bytes && !has.dots_bytes) return false;
  if (dot.how == dot_method::bfloats && !has.dots_bfloats) return false;
  if (dot.how == dot_method::distances)  // 16-bit sums, at least 128 bits
    return has.adds_distances && lanes >= 8 && lanes <= 32 && lanes * 2 <= writer_.machine().vector_bytes;
  return lanes >= 4 && lanes <= 16 && lanes * 4 <= writer_.machine().vector_bytes;
}

inline std::string dot_instructions::add(dot_product const& dot, dot_operand const& a, dot_operand const& b,
                                         value const& sum) {
  switch (dot.how) {
    case dot_method::bytes: return bytes(a, b, sum.text);
    case dot_method::words: return words(a, b, sum.text);
    case dot_method::bfloats: return bfloats(a, b, sum.text);
    case dot_method::split_bfloats: return split_bfloats(a, b, sum.text);
    case dot_method::distances: return a.in_lanes() ? distances(b, a, sum) : distances(a, b, sum);
    case dot_method::own: return own(*dot.own, a, b, sum);
    case dot_method::none: break;
  }
  return sum.text;
}

/// Emits a value derived from an operand once, and returns its name to all users.
inline std::string dot_instructions::computed_once(dot_operand const& o, std::string const& what,
                                                   std::string const& text) {
  auto const key = what + " of " + text;
  if (auto const* known = writer_.open_frames().find_load(o.from->name, key)) return *known;
  auto made = writer_.define(text);
  writer_.open_frames().remember_load(o.from->name, key, made);
  return made;
}

/// Loads the terms of all lanes, as one integer per lane.
inline std::string dot_instructions::load(dot_operand const& o) {
  auto start = o.flat;
  start.lane = 0;
  auto const key = "terms " + std::to_string(o.bits()) + " " + std::to_string(start.constant) + " " + start.key() +
                   (o.in_lanes() ? state_.mask_text(state_.lanes) : "");
  auto const* known = writer_.open_frames().find_load(o.from->name, key);
  auto const made = known ? *known : load_terms(o);
  if (!known) writer_.open_frames().remember_load(o.from->name, key, made);
  if (o.in_lanes()) return made;
  return values_.widened({made, o.bits() == 16 ? dtype::i16 : dtype::i32, 1}, state_.lanes).text;
}

inline std::string dot_instructions::load_terms(dot_operand const& o) {
  auto const scalar = o.lane_type();
  auto start = o.flat;
  start.lane = 0;
  if (!o.in_lanes() || state_.mask.empty())
    return writer_.define("load " + vector_of(scalar, o.in_lanes() ? state_.lanes : 1) + ", ptr " +
                          addresses_.pointer(*o.from, start) + ", align " + std::to_string(size_in_bytes(o.type)));
  if (!writer_.machine().has_masks) return loads_.load_pieces(*o.from, start, scalar, o.terms);
  return loads_.load_masked(addresses_.pointer(*o.from, start), scalar, scalar, state_.lanes, size_in_bytes(o.type),
                            state_.mask_text(state_.lanes));
}

/// Multiplies i8 by i8: a + 128 is a u8. The excess 128 b is subtracted as 128 (-b - 1) + 128, once for all a.
inline std::string dot_instructions::bytes(dot_operand a, dot_operand b, std::string const& sum) {
  if (a.type != dtype::u8 && (b.type == dtype::u8 || a.in_lanes())) std::swap(a, b);
  auto const type = vector_of("i32", state_.lanes);
  auto const name = "@llvm.x86.avx512.vpdpbusd." + std::to_string(32 * state_.lanes);
  writer_.declare("declare " + type + " " + name + "(" + type + ", " + type + ", " + type + ")");
  auto const instruction = [&](std::string const& to, std::string const& x, std::string const& y) {
    return "call " + type + " " + name + "(" + type + " " + to + ", " + type + " " + x + ", " + type + " " + y + ")";
  };
  auto const all = [&](std::int64_t v) { return splat_literal("i32", std::to_string(v), state_.lanes); };
  auto x = load(a);
  auto const y = load(b);
  if (a.type == dtype::u8) return writer_.define(instruction(sum, x, y));
  std::int64_t const four_128 = static_cast<std::int32_t>(0x80808080U);
  x = computed_once(a, "moved", "xor " + type + " " + x + ", " + all(four_128));
  auto const inverse = computed_once(b, "inverse", "xor " + type + " " + y + ", " + all(-1));
  auto const excess = computed_once(b, "excess", instruction(all(4 * 128), all(four_128), inverse));
  return writer_.define(instruction(writer_.define("add " + type + " " + sum + ", " + excess), x, y));
}

inline std::string dot_instructions::words(dot_operand const& a, dot_operand const& b, std::string const& sum) {
  auto const words = vector_of("i16", 2 * state_.lanes);
  auto const wide = [&](dot_operand const& o) {
    auto const from = vector_of(o.lane_type(), state_.lanes);
    auto const narrow = vector_of(scalar_type(o.type), 2 * state_.lanes);
    auto const parts = computed_once(o, "terms", "bitcast " + from + " " + load(o) + " to " + narrow);
    if (size_in_bytes(o.type) == 2) return parts;
    return computed_once(o, "words", (is_unsigned(o.type) ? "zext " : "sext ") + narrow + " " + parts + " to " + words);
  };
  auto const type = vector_of("i32", state_.lanes);
  std::string const name = state_.lanes == 16  ? "@llvm.x86.avx512.pmaddw.d.512"
                           : state_.lanes == 8 ? "@llvm.x86.avx2.pmadd.wd"
                                               : "@llvm.x86.sse2.pmadd.wd";
  writer_.declare("declare " + type + " " + name + "(" + words + ", " + words + ")");
  auto const pairs =
      writer_.define("call " + type + " " + name + "(" + words + " " + wide(a) + ", " + words + " " + wide(b) + ")");
  return writer_.define("add " + type + " " + sum + ", " + pairs);
}

inline std::string dot_instructions::bfloats(dot_operand const& a, dot_operand const& b, std::string const& sum) {
  auto const type = vector_of("float", state_.lanes);
  auto const pairs = vector_of("bfloat", 2 * state_.lanes);
  auto const name = "@llvm.x86.avx512bf16.dpbf16ps." + std::to_string(32 * state_.lanes);
  writer_.declare("declare " + type + " " + name + "(" + type + ", " + pairs + ", " + pairs + ")");
  auto const as_pairs = [&](dot_operand const& o) {
    return computed_once(o, "pairs", "bitcast " + vector_of("i32", state_.lanes) + " " + load(o) + " to " + pairs);
  };
  auto const x = as_pairs(a);
  auto const y = as_pairs(b);
  return writer_.define("call " + type + " " + name + "(" + type + " " + sum + ", " + pairs + " " + x + ", " + pairs +
                        " " + y + ")");
}

/// Multiplies pairs of bf16 as floats: the first of a pair is shifted up, for the second the first is cleared.
inline std::string dot_instructions::split_bfloats(dot_operand const& a, dot_operand const& b, std::string const& sum) {
  auto const bits = vector_of("i32", state_.lanes);
  auto const type = vector_of("float", state_.lanes);
  auto const part = [&](dot_operand const& o, bool second) {
    auto const pair = load(o);
    auto const by = splat_literal("i32", second ? "-65536" : "16", state_.lanes);
    auto const raw = computed_once(o, "part", (second ? "and " : "shl ") + bits + " " + pair + ", " + by);
    return value{computed_once(o, "float", "bitcast " + bits + " " + raw + " to " + type), dtype::f32, state_.lanes};
  };
  value made{sum, dtype::f32, state_.lanes};
  for (bool const second : {false, true}) {
    auto const x = part(a, second);
    auto const y = part(b, second);
    if (writer_.has_fma()) {
      made = values_.multiply_add(x, y, made, false);
    } else {
      auto const product = writer_.define("fmul " + type + " " + x.text + ", " + y.text);
      made.text = writer_.define("fadd " + type + " " + made.text + ", " + product);
    }
  }
  return made.text;
}

/// Loads the elements of all lanes' terms, those of eight lanes into each 128 bits: bytes 8 i to 8 i + 15 into part i.
/// Reads only the elements that the running lanes need.
inline std::string dot_instructions::load_sliding(dot_operand const& o) {
  auto start = o.flat;
  start.lane = 0;
  auto const key = "sliding " + std::to_string(start.constant) + " " + start.key() + state_.mask_text(state_.lanes);
  if (auto const* known = writer_.open_frames().find_load(o.from->name, key)) return *known;
  int last = state_.lanes - 1;
  while (last > 0 && !state_.runs(last)) --last;
  int const bytes = 2 * state_.lanes;
  auto const type = vector_of("i8", bytes);
  lane_mask needed;
  std::string places = "<";
  for (int i = 0; i < bytes; ++i) {
    needed.push_back(i < last + o.terms);
    places += (i != 0 ? ", i32 " : "i32 ") + std::to_string(i / 16 * 8 + i % 16);
  }
  auto const loaded =
      loads_.load_masked(addresses_.pointer(*o.from, start), "i8", "i8", bytes, 1, mask_literal(needed));
  auto made = writer_.define("shufflevector " + type + " " + loaded + ", " + type + " undef, <" +
                             std::to_string(bytes) + " x i32> " + places + ">");
  writer_.open_frames().remember_load(o.from->name, key, made);
  return made;
}

/// Adds distances. `same` has no lanes. Sums of four distances fit 16 bits; the instruction itself does not accumulate.
inline std::string dot_instructions::distances(dot_operand const& same, dot_operand const& sliding, value const& sum) {
  int const lanes = state_.lanes;
  auto const bytes = vector_of("i8", 2 * lanes);
  auto const words = vector_of("i16", lanes);
  auto const key = "four " + std::to_string(same.flat.constant) + " " + same.flat.key();
  auto const* known = writer_.open_frames().find_load(same.from->name, key);
  auto const four =
      known ? *known : writer_.define("load i32, ptr " + addresses_.pointer(*same.from, same.flat) + ", align 1");
  if (!known) writer_.open_frames().remember_load(same.from->name, key, four);
  auto const all = values_.widened({four, dtype::i32, 1}, lanes / 2).text;
  auto const x = computed_once(same, "bytes", "bitcast " + vector_of("i32", lanes / 2) + " " + all + " to " + bytes);
  // Selects two of the four 32-bit groups of a part for the lanes' elements: groups 0 and 1 for four lanes, 1 and 2 for
  // the next four.
  int const quarters = 0 | 1 << 2 | 1 << 4 | 2 << 6;
  auto const name = "@llvm.x86.avx512.dbpsadbw." + std::to_string(16 * lanes);
  writer_.declare("declare " + words + " " + name + "(" + bytes + ", " + bytes + ", i32)");
  auto made = writer_.define("call " + words + " " + name + "(" + bytes + " " + x + ", " + bytes + " " +
                             load_sliding(sliding) + ", i32 " + std::to_string(quarters) + ")");
  auto const type = vector_of(scalar_type(sum.type), lanes);
  if (size_in_bytes(sum.type) > 2) made = writer_.define("zext " + words + " " + made + " to " + type);
  return writer_.define("add " + type + " " + sum.text + ", " + made);
}

/// Adds by an instruction of the application.
inline std::string dot_instructions::own(ir::own_instruction const& how, dot_operand const& a, dot_operand const& b,
                                         value const& sum) {
  auto const& stated = how.statement();
  auto const type = vector_of(scalar_type(how.sum()), state_.lanes);
  auto const argument = [&](dot_operand const& o) {
    auto const loaded = vector_of(o.lane_type(), state_.lanes);
    auto const wanted =
        stated.argument_type.empty() ? vector_of(scalar_type(o.type), state_.lanes * o.terms) : stated.argument_type;
    auto const text = load(o);
    return std::pair{
        wanted,
        wanted == loaded ? text : computed_once(o, "as " + wanted, "bitcast " + loaded + " " + text + " to " + wanted)};
  };
  auto const x = argument(a);
  auto const y = argument(b);
  auto const name = "@" + stated.intrinsic;
  auto const sums = stated.takes_sums ? type + ", " : std::string();
  writer_.declare("declare " + type + " " + name + "(" + sums + x.first + ", " + y.first + ")");
  auto const first = stated.takes_sums ? type + " " + sum.text + ", " : std::string();
  auto const made = writer_.define("call " + type + " " + name + "(" + first + x.first + " " + x.second + ", " +
                                   y.first + " " + y.second + ")");
  if (stated.takes_sums) return made;
  auto const add = is_float(how.sum()) ? "fadd " : "add ";
  return writer_.define(add + type + " " + sum.text + ", " + made);
}

}}}}  // namespace ttune::v0::codegen::llvm
