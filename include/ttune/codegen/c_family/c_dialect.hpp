// SPDX-License-Identifier: Apache-2.0
// C11, for reading, and for compiling where no other compiler is available. Loops over blocks and threads are ordinary
// loops.
#pragma once

#include <cmath>

#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/saturating.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// C11.
class plain_c_dialect final : public c_dialect {
 public:
  [[nodiscard]] char const* name() const override { return "c"; }
  [[nodiscard]] vector_style vectors() const override { return vector_style::none; }
  [[nodiscard]] bool unrolls() const override { return false; }
  [[nodiscard]] bool has_threads() const override { return false; }
  [[nodiscard]] std::string unroll_hint() const override { return ""; }

  [[nodiscard]] std::string type(dtype t, int) const override {
    switch (t) {
      case dtype::boolean: return "int";
      case dtype::f32: return "float";
      case dtype::f64: return "double";
      case dtype::index: return "ptrdiff_t";
      default: return storage(t);
    }
  }
  [[nodiscard]] std::string storage(dtype t) const override {
    switch (t) {
      case dtype::boolean:
      case dtype::u8: return "uint8_t";
      case dtype::i8: return "int8_t";
      case dtype::i16: return "int16_t";
      case dtype::u16:
      case dtype::f16:
      case dtype::bf16: return "uint16_t";
      case dtype::i32: return "int32_t";
      case dtype::u32: return "uint32_t";
      case dtype::i64:
      case dtype::index: return "int64_t";
      case dtype::u64: return "uint64_t";
      case dtype::f32: return "float";
      case dtype::f64: return "double";
    }
    return "int";
  }
  [[nodiscard]] std::string pointer(ir::memory, std::string const& element, bool read_only) const override {
    return (read_only ? "const " : "") + element + "*";
  }
  [[nodiscard]] std::string restrict_word() const override { return "restrict"; }
  [[nodiscard]] std::string array_prefix(ir::memory, std::int64_t) const override { return ""; }
  [[nodiscard]] std::string table_prefix() const override { return "static const "; }
  [[nodiscard]] std::string head(std::string const& kernel, std::vector<std::string> const& parameters,
                                 std::int64_t const*, bool) const override {
    std::string text = "void " + kernel + "(";
    for (std::size_t i = 0; i < parameters.size(); ++i) text += (i != 0 ? ", " : "") + parameters[i];
    return text + ")";
  }
  [[nodiscard]] std::string block_id(int) const override { return "0"; }
  [[nodiscard]] std::string thread_id(int) const override { return "0"; }
  [[nodiscard]] std::string barrier() const override { return ""; }
  [[nodiscard]] std::string prelude(bool) const override {
    return "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n";
  }
  [[nodiscard]] std::string not_finite(dtype, double v) const override {
    return std::isnan(v) ? "NAN" : v < 0 ? "(-INFINITY)" : "INFINITY";
  }
  [[nodiscard]] std::string integer_suffix(dtype t) const override {
    return t == dtype::i64 ? "LL" : t == dtype::u64 ? "ULL" : t == dtype::u32 ? "U" : "";
  }
  [[nodiscard]] std::string function(std::string const& base, dtype t) const override {
    return t == dtype::f64 ? base : base + "f";
  }
  [[nodiscard]] std::string function_prefix() const override { return "static inline "; }
  [[nodiscard]] std::string saturating_cast(std::string const& wanted, std::string const& to) const override {
    return function_prefix() + saturating_function(wanted, to, [this](dtype t) { return type(t, 64); });
  }
  [[nodiscard]] std::string half_function(std::string const& wanted, bool from_bits, int) const override {
    if (from_bits)
      return "static inline float " + wanted +
             "(uint16_t h) {\n"
             "  int const e = h >> 10 & 31;\n"
             "  float const f = (float)(h & 1023);\n"
             "  float const x = e == 31 ? (f != 0 ? NAN : INFINITY) : e == 0 ? ldexpf(f, -24) : ldexpf(1024 + f, e - "
             "25);\n"
             "  return h >> 15 ? -x : x;\n"
             "}\n";
    return "static inline uint16_t " + wanted +
           "(float x) {\n"
           "  uint16_t const s = signbit(x) ? 0x8000 : 0;\n"
           "  float const a = fabsf(x);\n"
           "  if (x != x) return s | 0x7e00;\n"
           "  if (a >= 65520.0f) return s | 0x7c00;\n"
           "  if (a < 0x1p-14f) return s | (uint16_t)rintf(ldexpf(a, 24));\n"
           "  int e;\n"
           "  float const m = rintf(ldexpf(frexpf(a, &e), 11));  // [1024, 2048]\n"
           "  return s | (uint16_t)(((e + 14) << 10) + ((int)m - 1024));\n"
           "}\n";
  }
  [[nodiscard]] std::string bits_as_float(std::string const& bits) const override {
    return "uint32_t const made = " + bits + "; float f; memcpy(&f, &made, sizeof f); return f;";
  }
  [[nodiscard]] std::string float_as_bits(std::string const& x) const override {
    return "uint32_t b; memcpy(&b, &" + x + ", sizeof b); ";
  }
};

}}}}  // namespace ttune::v0::codegen::c_family
