// SPDX-License-Identifier: Apache-2.0
// The text of small functions that kernels call: operations on integers that C leaves undefined, and conversions that
// it does not have.
#pragma once

#include <string>
#include <utility>

#include "ttune/codegen/c_family/c_types.hpp"
#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Writes one function. In: its name, the type of its arguments and their number of lanes. Out: its text.
class helper_text {
 public:
  helper_text(c_dialect const& dialect, c_types const& types, std::string name, dtype type, int lanes)
      : dialect_(dialect), types_(types), name_(std::move(name)), type_(type), lanes_(lanes) {}

  /// Returns the text of the function `base`; throws backend_error if there is no such function.
  [[nodiscard]] std::string write(std::string const& base) const;

 private:
  [[nodiscard]] std::string on_integers(std::string const& base) const;
  [[nodiscard]] std::string from_bf16() const;
  [[nodiscard]] std::string to_bf16() const;
  [[nodiscard]] std::string round_to_tf32() const;
  [[nodiscard]] std::string function(std::string const& result, std::string const& parameters,
                                     std::string const& body) const;
  [[nodiscard]] std::string chosen(std::string const& condition, std::string const& yes, std::string const& no) const;
  [[nodiscard]] bool has_vector_types() const { return dialect_.vectors() == vector_style::types; }
  [[nodiscard]] std::string suffix() const { return lanes_ > 1 ? std::to_string(lanes_) : ""; }

  c_dialect const& dialect_;
  c_types const& types_;
  std::string name_;
  dtype type_;
  int lanes_;
};

inline std::string helper_text::function(std::string const& result, std::string const& parameters,
                                         std::string const& body) const {
  return dialect_.function_prefix() + result + " " + name_ + "(" + parameters + ") { " + body + " }\n";
}

inline std::string helper_text::chosen(std::string const& condition, std::string const& yes,
                                       std::string const& no) const {
  return lanes_ > 1 ? "select(" + no + ", " + yes + ", " + condition + ")" : condition + " ? " + yes + " : " + no;
}

inline std::string helper_text::write(std::string const& base) const {
  if (base == "to_integer") return dialect_.saturating_cast(name_, name_.substr(name_.rfind('_') + 1));
  if (base == "from_half") return dialect_.half_function(name_, true, lanes_);
  if (base == "to_half") return dialect_.half_function(name_, false, lanes_);
  if (base == "from_bf16") return from_bf16();
  if (base == "to_bf16") return to_bf16();
  if (base == "round_to_tf32") return round_to_tf32();
  return on_integers(base);
}

/// Writes functions of integers; the smallest value divided by -1 wraps.
inline std::string helper_text::on_integers(std::string const& base) const {
  auto const t = types_.name(type_, lanes_);
  auto const two = t + " a, " + t + " b";
  auto const negated = [&] { return "(" + t + ")(0 - (" + types_.name(unsigned_of(type_)) + ")a)"; };
  if (base == "least") return function(t, two, "return " + chosen("b < a", "b", "a") + ";");
  if (base == "most") return function(t, two, "return " + chosen("a < b", "b", "a") + ";");
  if (base == "magnitude")
    return function(t, t + " a", lanes_ > 1 ? "return select(a, -a, a < 0);" : "return a < 0 ? " + negated() + " : a;");
  if (base == "floor_divide") return function(t, two, t + " const r = a % b; return a / b - (r < 0 ? 1 : 0);");
  if (base == "floor_modulo") return function(t, two, t + " const r = a % b; return r < 0 ? r + b : r;");
  if (base == "quotient") return function(t, two, "return b == -1 ? " + negated() + " : (" + t + ")(a / b);");
  if (base == "remainder") return function(t, two, "return b == -1 ? 0 : (" + t + ")(a % b);");
  throw backend_error(std::string(dialect_.name()) + ": no function " + base);
}

inline std::string helper_text::from_bf16() const {
  auto const n = suffix();
  if (has_vector_types())
    return function("float" + n, "ushort" + n + " h", "return as_float" + n + "(convert_uint" + n + "(h) << 16);");
  return function("float", types_.name(dtype::u16) + " h",
                  dialect_.bits_as_float("(" + types_.name(dtype::u32) + ")h << 16"));
}

inline std::string helper_text::to_bf16() const {
  auto const n = suffix();
  auto const u = "uint" + n;
  if (has_vector_types())
    return function(
        "ushort" + n, "float" + n + " x",
        u + " const b = as_uint" + n + "(x); " + u +
            " const r = (b + 0x7fffu + ((b >> 16) & 1u)) >> 16; return convert_ushort" + n +
            (lanes_ > 1 ? "(select(r, (b >> 16) | 0x40u, isnan(x)));" : "(isnan(x) ? (b >> 16) | 0x40u : r);"));
  auto const result = types_.name(dtype::u16);
  return function(result, "float x",
                  dialect_.float_as_bits("x") + "return (" + result +
                      ")(x != x ? (b >> 16) | 0x40u : (b + 0x7fffu + ((b >> 16) & 1u)) >> 16);");
}

inline std::string helper_text::round_to_tf32() const {
  auto const t = types_.name(type_, lanes_);
  auto const u = "uint" + suffix();
  if (has_vector_types())
    return function(t, t + " x",
                    u + " const b = as_" + u + "(x); " + u + " const r = (b + 0x1000u) & 0xffffe000u; return as_" + t +
                        (lanes_ > 1 ? "(select(r, b, isnan(x)));" : "(isnan(x) ? b : r);"));
  return function(
      t, t + " x",
      "if (x != x) return x; " + dialect_.float_as_bits("x") + dialect_.bits_as_float("(b + 0x1000u) & 0xffffe000u"));
}

}}}}  // namespace ttune::v0::codegen::c_family
