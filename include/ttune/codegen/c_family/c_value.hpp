// SPDX-License-Identifier: Apache-2.0
// An expression of C with the type of its value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ttune/codegen/lane_linear.hpp"
#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Precedence of C's operators, the weakest first.
namespace precedence {

enum level : int { ternary = 1, logical_or, logical_and, equality, relation, sum, product, prefix, primary };

}  // namespace precedence

/// An expression in the text of a kernel.
struct c_value {
  std::string text;
  dtype type = dtype::f32;  ///< never f16 or bf16, which are computed as f32
  int lanes = 1;            ///< elements of a vector type
  int binds = precedence::primary;
};

/// Returns the text as an operand of an operator of precedence `least`: in parentheses if it binds less.
[[nodiscard]] inline std::string operand(c_value const& v, int least) {
  return v.binds < least ? "(" + v.text + ")" : v.text;
}

/// Returns a linear form of the constant `i`.
[[nodiscard]] inline lane_linear constant_index(std::int64_t i) {
  lane_linear made;
  made.constant = i;
  return made;
}

/// Returns a linear form of `lanes` consecutive numbers from `first`.
[[nodiscard]] inline lane_linear consecutive_indices(std::int64_t first, int lanes) {
  lane_linear made;
  made.constant = first;
  made.lane = lanes > 1 ? 1 : 0;
  return made;
}

/// Writes a linear form without its lane part as a sum: large coefficients first, negative ones last.
[[nodiscard]] inline c_value written(lane_linear const& l) {
  auto terms = l.terms;
  std::sort(terms.begin(), terms.end(), [](lane_linear::term const& a, lane_linear::term const& b) {
    if ((a.coefficient > 0) != (b.coefficient > 0)) return a.coefficient > 0;
    if (a.coefficient != b.coefficient) return std::abs(a.coefficient) > std::abs(b.coefficient);
    return a.value < b.value;
  });
  std::string text;
  int parts = 0;
  bool multiplied = false;
  bool const leads = l.constant > 0 && !terms.empty() && terms[0].coefficient < 0;
  if (leads) ++parts, text = std::to_string(l.constant);
  for (auto const& t : terms) {
    bool const minus = t.coefficient < 0;
    if (parts++ == 0) text += minus ? "-" : "";
    else text += minus ? " - " : " + ";
    text += t.value;
    multiplied = multiplied || std::abs(t.coefficient) != 1;
    if (std::abs(t.coefficient) != 1) text += " * " + std::to_string(std::abs(t.coefficient));
  }
  using namespace precedence;
  if (parts == 0) return {std::to_string(l.constant), dtype::index, 1, l.constant < 0 ? prefix : primary};
  bool const negative = text[0] == '-';
  if (l.constant != 0 && !leads)
    ++parts, text += (l.constant < 0 ? " - " : " + ") + std::to_string(std::abs(l.constant));
  return {text, dtype::index, 1, parts > 1 ? sum : multiplied ? product : negative ? prefix : primary};
}

/// Returns the letter of a lane in OpenCL's names of components, ".s0" to ".sf".
[[nodiscard]] inline char lane_digit(int lane) { return "0123456789abcdef"[lane]; }

}}}}  // namespace ttune::v0::codegen::c_family
