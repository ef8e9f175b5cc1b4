// SPDX-License-Identifier: Apache-2.0
// Types, constants and calls in the text of a program: a dialect together with the width of the program's indices.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "ttune/codegen/c_family/c_value.hpp"
#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/statement_queries.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

[[nodiscard]] inline dtype unsigned_of(dtype t) noexcept {
  switch (t) {
    case dtype::i8: return dtype::u8;
    case dtype::i16: return dtype::u16;
    case dtype::i32: return dtype::u32;
    case dtype::i64:
    case dtype::index: return dtype::u64;
    default: return t;
  }
}

/// Writes types and values of types. In: element types, values. Out: text of the dialect. It has no state.
class c_types {
 public:
  /// `index_bits` is the width of an index, 32 or 64.
  c_types(c_dialect const& dialect, int index_bits) : dialect_(dialect), index_bits_(index_bits) {}

  [[nodiscard]] int index_bits() const noexcept { return index_bits_; }
  /// Returns the type of a value; f16 and bf16 are computed as f32.
  [[nodiscard]] std::string name(dtype t, int lanes = 1) const;
  /// Returns the bytes of a vector's element; a boolean is an int there.
  [[nodiscard]] std::size_t vector_element_bytes(dtype t) const;
  /// Returns a value with `lanes` lanes; a single one is repeated.
  [[nodiscard]] c_value widened(c_value const& v, int lanes) const;
  /// Returns a constant of an element type.
  [[nodiscard]] c_value constant(dtype type, ir::constant const& c) const;
  /// Returns a call of a function; all arguments get the same number of lanes.
  [[nodiscard]] c_value call(std::string const& function, dtype type, std::vector<c_value> const& arguments) const;

 private:
  [[nodiscard]] c_value integer_constant(dtype t, std::int64_t v) const;

  c_dialect const& dialect_;
  int index_bits_;
};

inline std::string c_types::name(dtype t, int lanes) const {
  return dialect_.type(computed_as(t), index_bits_) + (lanes > 1 ? std::to_string(lanes) : "");
}

inline std::size_t c_types::vector_element_bytes(dtype t) const {
  if (t == dtype::index) return static_cast<std::size_t>(index_bits_ / 8);
  return t == dtype::boolean ? 4 : size_in_bytes(t);
}

inline c_value c_types::widened(c_value const& v, int lanes) const {
  if (v.lanes == lanes) return v;
  if (v.type == dtype::boolean) return {"((int" + std::to_string(lanes) + ")(" + v.text + ") != 0)", v.type, lanes};
  return {"(" + name(v.type, lanes) + ")(" + v.text + ")", v.type, lanes};
}

inline c_value c_types::integer_constant(dtype t, std::int64_t v) const {
  if (t == dtype::boolean) return {v != 0 ? "1" : "0", t};
  if (t == dtype::u64) return {std::to_string(static_cast<std::uint64_t>(v)) + dialect_.integer_suffix(t), t};
  auto const least = t == dtype::i64 ? std::numeric_limits<std::int64_t>::min()
                                     : std::int64_t{std::numeric_limits<std::int32_t>::min()};
  if ((t == dtype::i64 || t == dtype::i32) && v == least)  // its magnitude does not fit in the type
    return {"(" + std::to_string(v + 1) + dialect_.integer_suffix(t) + " - 1)", t};
  return {std::to_string(v) + dialect_.integer_suffix(t), t, 1, v < 0 ? precedence::prefix : precedence::primary};
}

inline c_value c_types::constant(dtype type, ir::constant const& c) const {
  auto const t = computed_as(type);
  if (!is_float(t)) return integer_constant(t, c.integer);
  auto const v = t == dtype::f32 ? static_cast<double>(static_cast<float>(c.real)) : c.real;
  if (!std::isfinite(v)) return {dialect_.not_finite(t, v), t};
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", t == dtype::f32 ? 9 : 17, v);
  std::string made = text;
  if (made.find_first_of(".e") == std::string::npos) made += ".0";
  return {made + (t == dtype::f32 ? "f" : ""), t, 1, std::signbit(v) ? precedence::prefix : precedence::primary};
}

inline c_value c_types::call(std::string const& function, dtype type, std::vector<c_value> const& arguments) const {
  int lanes = 1;
  for (auto const& a : arguments) lanes = std::max(lanes, a.lanes);
  std::string text;
  for (auto const& a : arguments) text += (text.empty() ? "" : ", ") + widened(a, lanes).text;
  return {function + "(" + text + ")", type, lanes};
}

}}}}  // namespace ttune::v0::codegen::c_family
