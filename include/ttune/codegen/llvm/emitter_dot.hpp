// SPDX-License-Identifier: Apache-2.0
// Tensorized loops at code generation: sums of terms of narrow elements by the instructions of core/dot_product.hpp.
#pragma once

#include "ttune/codegen/llvm/emitter.hpp"
#include "ttune/ir/narrow_term.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Returns an operand whose terms are neighbouring elements; nothing if it is read in another way.
inline std::optional<llvm_emitter::dot_operand> llvm_emitter::dot_source(ir::expr const& e, std::string const& variable,
                                                                         dot_product const& dot) {
  auto const* a = ir::as<ir::access>(e);
  auto const& b = *std::get<handle<ir::buffer>>(a->from);
  if (b.where == ir::memory::registers || !b.content.empty()) return std::nullopt;
  dot_operand made{&b, {}, b.type, dot.terms};
  for (int t = 0; t < dot.terms; ++t) {
    lane_linear at;
    at.constant = t;
    variables_[variable] = at;
    auto flat = flat_index(b, a->indices);
    if (t == 0) made.flat = flat;
    if (flat.constant != made.flat.constant + t || flat.lane != made.flat.lane || flat.key() != made.flat.key())
      return std::nullopt;
  }
  if (made.flat.lane != 0 && made.flat.lane != dot.lane_stride()) return std::nullopt;
  return made;
}

/// Returns true if an instruction exists for these lanes: for 128 bits, doubled up to the machine's vector width.
inline bool llvm_emitter::multiplies_lanes(dot_product const& dot) const {
  if (dot.how == dot_method::split_bfloats) return lanes_ > 1;
  if (dot.how == dot_method::bytes && !instructions_.dots_bytes) return false;
  if (dot.how == dot_method::bfloats && !instructions_.dots_bfloats) return false;
  if (dot.how == dot_method::distances)  // 16-bit sums, at least 128 bits
    return instructions_.adds_distances && lanes_ >= 8 && lanes_ <= 32 && lanes_ * 2 <= machine_.vector_bytes;
  return lanes_ >= 4 && lanes_ <= 16 && lanes_ * 4 <= machine_.vector_bytes;
}

/// Emits a loop over terms `sum += widened a * widened b`, or `|widened a - widened b|`, as one instruction for all
/// lanes. Returns false for any other loop; it emits no needed text then.
inline bool llvm_emitter::emit_dot(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  if (begin != 0 || lanes_ == 1) return false;
  auto const terms = static_cast<int>(end);
  auto const saved = variables_;
  auto const saved_mask = mask_;
  auto const done = [&](bool yes) {
    variables_ = saved;
    mask_ = saved_mask;
    return yes;
  };
  auto const* c = ir::as<ir::conditional>(l.body);
  if (c && c->otherwise) return false;
  auto const* write = ir::as<ir::store>(c ? c->then : l.body);
  auto const term = write ? ir::match_added_term(*write) : std::nullopt;
  if (!term) return false;
  for (int t = 0; c && t < terms; ++t) {  // all terms must run in the same lanes
    lane_linear at;
    at.constant = t;
    variables_[l.variable] = at;
    auto const known = decide(c->condition);
    if (!known || (t > 0 && *known != mask_)) return done(false);
    mask_ = *known;
  }
  if (!saved_mask.empty())
    for (std::size_t i = 0; c && i < mask_.size(); ++i) mask_[i] = mask_[i] && saved_mask[i];
  if (std::find(mask_.begin(), mask_.end(), false) == mask_.end()) mask_.clear();
  auto const dot = find_dot_product(machine_, term->kind, term->left->type, term->right->type, write->to->type);
  if (dot.terms != terms || !multiplies_lanes(dot)) return done(false);
  auto const a = dot_source(term->left, l.variable, dot);
  auto const b = a ? dot_source(term->right, l.variable, dot) : std::nullopt;
  if (!b || (a->flat.lane == 0 && b->flat.lane == 0)) return done(false);
  auto const target_index = flat_index(*write->to, write->indices);
  auto const before = widened(load(*write->to, target_index), lanes_);
  std::string made;
  switch (dot.how) {
    case dot_method::bytes: made = dot_bytes(*a, *b, before.text); break;
    case dot_method::words: made = dot_words(*a, *b, before.text); break;
    case dot_method::bfloats: made = dot_bfloats(*a, *b, before.text); break;
    case dot_method::split_bfloats: made = dot_split_bfloats(*a, *b, before.text); break;
    case dot_method::distances:
      if (a->flat.lane != 0 && b->flat.lane != 0) return done(false);
      made = a->flat.lane != 0 ? dot_distances(*b, *a, before) : dot_distances(*a, *b, before);
      break;
    case dot_method::none: return done(false);
  }
  store(*write->to, target_index, {made, before.type, lanes_});
  return done(true);
}

/// Emits a value derived from an operand once, and returns its name to all users.
inline std::string llvm_emitter::computed_once(dot_operand const& o, std::string const& what, std::string const& text) {
  auto const key = what + " of " + text;
  if (auto const* known = frames_.find_load(o.from->name, key)) return *known;
  auto made = define(text);
  frames_.remember_load(o.from->name, key, made);
  return made;
}

/// Loads the terms of all lanes, as one integer per lane.
inline std::string llvm_emitter::load_dot(dot_operand const& o) {
  auto const scalar = o.lane_type();
  auto const type = vector_of(scalar, lanes_);
  auto start = o.flat;
  start.lane = 0;
  auto const key = "terms " + std::to_string(o.bits()) + " " + std::to_string(start.constant) + " " + start.key() +
                   (o.flat.lane != 0 ? mask_text(lanes_) : "");
  auto const align = std::to_string(size_in_bytes(o.type));
  std::string made;
  if (auto const* known = frames_.find_load(o.from->name, key)) {
    made = *known;
  } else {
    if (o.flat.lane == 0) {
      made = define("load " + scalar + ", ptr " + pointer(*o.from, start) + ", align " + align);
    } else if (mask_.empty()) {
      made = define("load " + type + ", ptr " + pointer(*o.from, start) + ", align " + align);
    } else if (!machine_.has_masks) {
      made = load_pieces(*o.from, start, scalar, o.terms);
    } else {
      auto const name = "@llvm.masked.load.v" + std::to_string(lanes_) + scalar + ".p0";
      auto const bits = "<" + std::to_string(lanes_) + " x i1>";
      declare("declare " + type + " " + name + "(ptr, i32, " + bits + ", " + type + ")");
      made = define("call " + type + " " + name + "(ptr " + pointer(*o.from, start) + ", i32 " + align + ", " + bits +
                    " " + mask_text(lanes_) + ", " + type + " zeroinitializer)");
    }
    frames_.remember_load(o.from->name, key, made);
  }
  if (o.flat.lane != 0) return made;
  return widened({made, o.bits() == 16 ? dtype::i16 : dtype::i32, 1}, lanes_).text;
}

/// Multiplies i8 by i8: a + 128 is a u8. The excess 128 b is subtracted as 128 (-b - 1) + 128, once for all a.
inline std::string llvm_emitter::dot_bytes(dot_operand a, dot_operand b, std::string const& sum) {
  if (a.type != dtype::u8 && (b.type == dtype::u8 || a.flat.lane != 0)) std::swap(a, b);
  auto const type = vector_of("i32", lanes_);
  auto const name = "@llvm.x86.avx512.vpdpbusd." + std::to_string(32 * lanes_);
  declare("declare " + type + " " + name + "(" + type + ", " + type + ", " + type + ")");
  auto const instruction = [&](std::string const& to, std::string const& x, std::string const& y) {
    return "call " + type + " " + name + "(" + type + " " + to + ", " + type + " " + x + ", " + type + " " + y + ")";
  };
  auto const all = [&](std::int64_t v) { return splat_literal("i32", std::to_string(v), lanes_); };
  auto x = load_dot(a);
  auto const y = load_dot(b);
  if (a.type == dtype::u8) return define(instruction(sum, x, y));
  std::int64_t const four_128 = static_cast<std::int32_t>(0x80808080U);
  x = computed_once(a, "moved", "xor " + type + " " + x + ", " + all(four_128));
  auto const inverse = computed_once(b, "inverse", "xor " + type + " " + y + ", " + all(-1));
  auto const excess = computed_once(b, "excess", instruction(all(4 * 128), all(four_128), inverse));
  return define(instruction(define("add " + type + " " + sum + ", " + excess), x, y));
}

inline std::string llvm_emitter::dot_words(dot_operand const& a, dot_operand const& b, std::string const& sum) {
  auto const words = vector_of("i16", 2 * lanes_);
  auto const wide = [&](dot_operand const& o) {
    auto const from = vector_of(o.lane_type(), lanes_);
    auto const narrow = vector_of(scalar_type(o.type), 2 * lanes_);
    auto const parts = computed_once(o, "terms", "bitcast " + from + " " + load_dot(o) + " to " + narrow);
    if (size_in_bytes(o.type) == 2) return parts;
    return computed_once(o, "words", (is_unsigned(o.type) ? "zext " : "sext ") + narrow + " " + parts + " to " + words);
  };
  auto const type = vector_of("i32", lanes_);
  std::string const name = lanes_ == 16  ? "@llvm.x86.avx512.pmaddw.d.512"
                           : lanes_ == 8 ? "@llvm.x86.avx2.pmadd.wd"
                                         : "@llvm.x86.sse2.pmadd.wd";
  declare("declare " + type + " " + name + "(" + words + ", " + words + ")");
  auto const pairs =
      define("call " + type + " " + name + "(" + words + " " + wide(a) + ", " + words + " " + wide(b) + ")");
  return define("add " + type + " " + sum + ", " + pairs);
}

inline std::string llvm_emitter::dot_bfloats(dot_operand const& a, dot_operand const& b, std::string const& sum) {
  auto const type = vector_of("float", lanes_);
  auto const pairs = vector_of("bfloat", 2 * lanes_);
  auto const name = "@llvm.x86.avx512bf16.dpbf16ps." + std::to_string(32 * lanes_);
  declare("declare " + type + " " + name + "(" + type + ", " + pairs + ", " + pairs + ")");
  auto const as_pairs = [&](dot_operand const& o) {
    return computed_once(o, "pairs", "bitcast " + vector_of("i32", lanes_) + " " + load_dot(o) + " to " + pairs);
  };
  auto const x = as_pairs(a);
  auto const y = as_pairs(b);
  return define("call " + type + " " + name + "(" + type + " " + sum + ", " + pairs + " " + x + ", " + pairs + " " + y +
                ")");
}

/// Multiplies pairs of bf16 as floats: the first of a pair is shifted up, for the second the first is cleared.
inline std::string llvm_emitter::dot_split_bfloats(dot_operand const& a, dot_operand const& b, std::string const& sum) {
  auto const bits = vector_of("i32", lanes_);
  auto const type = vector_of("float", lanes_);
  auto const part = [&](dot_operand const& o, bool second) {
    auto const pair = load_dot(o);
    auto const by = splat_literal("i32", second ? "-65536" : "16", lanes_);
    auto const raw = computed_once(o, "part", (second ? "and " : "shl ") + bits + " " + pair + ", " + by);
    return computed_once(o, "float", "bitcast " + bits + " " + raw + " to " + type);
  };
  auto made = sum;
  for (bool const second : {false, true}) {
    auto const x = part(a, second);
    auto const y = part(b, second);
    if (machine_.has_fma) {
      auto const name = "@llvm.fma." + mangled(dtype::f32, lanes_);
      declare("declare " + type + " " + name + "(" + type + ", " + type + ", " + type + ")");
      made = define("call " + type + " " + name + "(" + type + " " + x + ", " + type + " " + y + ", " + type + " " +
                    made + ")");
    } else {
      made = define("fadd " + type + " " + made + ", " + define("fmul " + type + " " + x + ", " + y));
    }
  }
  return made;
}

/// Loads the elements of all lanes' terms, those of eight lanes into each 128 bits: bytes 8 i to 8 i + 15 into part i.
/// Reads only the elements that the running lanes need.
inline std::string llvm_emitter::load_sliding(dot_operand const& o) {
  auto start = o.flat;
  start.lane = 0;
  auto const key = "sliding " + std::to_string(start.constant) + " " + start.key() + mask_text(lanes_);
  if (auto const* known = frames_.find_load(o.from->name, key)) return *known;
  int last = lanes_ - 1;
  while (last > 0 && !runs(last)) --last;
  int const bytes = 2 * lanes_;
  auto const type = vector_of("i8", bytes);
  auto const bits = vector_of("i1", bytes);
  std::string needed = "<";
  std::string places = "<";
  for (int i = 0; i < bytes; ++i) {
    needed += std::string(i != 0 ? ", " : "") + (i < last + o.terms ? "i1 true" : "i1 false");
    places += (i != 0 ? ", i32 " : "i32 ") + std::to_string(i / 16 * 8 + i % 16);
  }
  auto const name = "@llvm.masked.load.v" + std::to_string(bytes) + "i8.p0";
  declare("declare " + type + " " + name + "(ptr, i32, " + bits + ", " + type + ")");
  auto const loaded = define("call " + type + " " + name + "(ptr " + pointer(*o.from, start) + ", i32 1, " + bits +
                             " " + needed + ">, " + type + " zeroinitializer)");
  auto made = define("shufflevector " + type + " " + loaded + ", " + type + " undef, <" + std::to_string(bytes) +
                     " x i32> " + places + ">");
  frames_.remember_load(o.from->name, key, made);
  return made;
}

/// Adds distances. `same` has no lanes. Sums of four distances fit 16 bits; the instruction itself does not accumulate.
inline std::string llvm_emitter::dot_distances(dot_operand const& same, dot_operand const& sliding, value const& sum) {
  auto const bytes = vector_of("i8", 2 * lanes_);
  auto const words = vector_of("i16", lanes_);
  auto const key = "four " + std::to_string(same.flat.constant) + " " + same.flat.key();
  auto const* known = frames_.find_load(same.from->name, key);
  auto const four = known ? *known : define("load i32, ptr " + pointer(*same.from, same.flat) + ", align 1");
  if (!known) frames_.remember_load(same.from->name, key, four);
  auto const all = widened({four, dtype::i32, 1}, lanes_ / 2).text;
  auto const x = computed_once(same, "bytes", "bitcast " + vector_of("i32", lanes_ / 2) + " " + all + " to " + bytes);
  // Selects two of the four 32-bit groups of a part for the lanes' elements: groups 0 and 1 for four lanes, 1 and 2 for
  // the next four.
  int const quarters = 0 | 1 << 2 | 1 << 4 | 2 << 6;
  auto const name = "@llvm.x86.avx512.dbpsadbw." + std::to_string(16 * lanes_);
  declare("declare " + words + " " + name + "(" + bytes + ", " + bytes + ", i32)");
  auto distances = define("call " + words + " " + name + "(" + bytes + " " + x + ", " + bytes + " " +
                          load_sliding(sliding) + ", i32 " + std::to_string(quarters) + ")");
  auto const type = vector_of(scalar_type(sum.type), lanes_);
  if (size_in_bytes(sum.type) > 2) distances = define("zext " + words + " " + distances + " to " + type);
  return define("add " + type + " " + sum.text + ", " + distances);
}

}}}  // namespace ttune::v0::codegen
