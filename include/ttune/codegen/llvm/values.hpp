// SPDX-License-Identifier: Apache-2.0
// Types and literals of text LLVM IR.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// A value at code generation: an SSA name or a literal. f16 and bf16 exist in memory only and are f32 here.
struct value {
  std::string text;
  dtype type = dtype::f32;
  int lanes = 1;
};

/// Returns the type in which an element takes part in arithmetic.
[[nodiscard]] inline dtype compute_type(dtype t) {
  return t == dtype::f16 || t == dtype::bf16 ? dtype::f32 : t == dtype::index ? dtype::i64 : t;
}

[[nodiscard]] inline std::string scalar_type(dtype t) {
  switch (t) {
    case dtype::boolean: return "i1";
    case dtype::i8:
    case dtype::u8: return "i8";
    case dtype::i16:
    case dtype::u16: return "i16";
    case dtype::i32:
    case dtype::u32: return "i32";
    case dtype::i64:
    case dtype::u64:
    case dtype::index: return "i64";
    case dtype::f16: return "half";
    case dtype::bf16: return "bfloat";
    case dtype::f32: return "float";
    case dtype::f64: return "double";
  }
  return "i64";
}

/// Returns the LLVM type of an element in memory: booleans are bytes, 16-bit floats are integers.
[[nodiscard]] inline std::string memory_type(dtype t) {
  return t == dtype::boolean ? "i8" : t == dtype::f16 || t == dtype::bf16 ? "i16" : scalar_type(t);
}

[[nodiscard]] inline std::string vector_of(std::string const& scalar, int lanes) {
  return lanes == 1 ? scalar : "<" + std::to_string(lanes) + " x " + scalar + ">";
}

[[nodiscard]] inline std::string real_literal(dtype t, double v) {
  auto const stored = t == dtype::f64 ? v : static_cast<double>(static_cast<float>(v));
  char text[24];
  std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(stored)));
  return text;
}

[[nodiscard]] inline std::string integer_literal(dtype t, std::int64_t v) {
  if (t == dtype::boolean) return v != 0 ? "true" : "false";
  return std::to_string(v);
}

/// Returns a vector literal with the same value in every lane.
[[nodiscard]] inline std::string splat_literal(std::string const& scalar, std::string const& literal, int lanes) {
  if (lanes == 1) return literal;
  if (literal == "0" || literal == "0x0000000000000000" || literal == "false") return "zeroinitializer";
  std::string text = "<";
  for (int i = 0; i < lanes; ++i) text += (i != 0 ? ", " : "") + scalar + " " + literal;
  return text + ">";
}

/// Returns the suffix of an overloaded intrinsic: "f32", "v16f32", "i64".
[[nodiscard]] inline std::string mangled(dtype t, int lanes) {
  std::string base = is_float(t) ? (t == dtype::f64 ? "f64" : "f32") : "i" + scalar_type(t).substr(1);
  return lanes == 1 ? base : "v" + std::to_string(lanes) + base;
}

}}}  // namespace ttune::v0::codegen
