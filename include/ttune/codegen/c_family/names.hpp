// SPDX-License-Identifier: Apache-2.0
// Unique C identifiers for loops and buffers of a kernel; never keywords.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// The identifiers of a kernel.
class c_names {
 public:
  /// Returns an unused identifier similar to `wanted`.
  [[nodiscard]] std::string fresh(std::string const& wanted) {
    auto base = identifier(wanted);
    auto name = base;
    for (int n = 1; is_taken(name); ++n) name = base + "_" + std::to_string(n);
    taken_.insert(name);
    return name;
  }

 private:
  [[nodiscard]] static std::string identifier(std::string const& wanted) {
    std::string made;
    for (char const c : wanted) {
      bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (letter) made += c;
      else if (made.empty() || made.back() != '_') made += '_';
    }
    if (made.empty() || (made[0] >= '0' && made[0] <= '9')) made = "v" + made;
    return made;
  }

  /// Returns true for keywords, types and functions of the three languages that an operator might be named after.
  [[nodiscard]] bool is_taken(std::string const& name) const {
    static constexpr std::array<std::string_view, 96> words{
        "abs",      "acos",     "asin",      "asm",     "atan",      "auto",     "barrier", "bool",    "break",
        "case",     "catch",    "ceil",      "char",    "clamp",     "class",    "clock",   "const",   "continue",
        "cos",      "cross",    "default",   "delete",  "distance",  "div",      "do",      "dot",     "double",
        "else",     "enum",     "erf",       "event_t", "exp",       "export",   "extern",  "fabs",    "false",
        "float",    "floor",    "fma",       "fmod",    "for",       "friend",   "gamma",   "global",  "goto",
        "half",     "if",       "image1d_t", "inline",  "int",       "isinf",    "isnan",   "j0",      "j1",
        "jn",       "kernel",   "length",    "local",   "log",       "long",     "mad",     "main",    "max",
        "min",      "mix",      "namespace", "new",     "normalize", "operator", "pow",     "private", "public",
        "register", "restrict", "return",    "rint",    "round",     "select",   "short",   "sign",    "signed",
        "sin",      "sizeof",   "sqrt",      "static",  "step",      "struct",   "switch",  "tan",     "tanh",
        "template", "this",     "true",      "union",   "unsigned",  "while"};
    static constexpr std::array<std::string_view, 22> more{
        "y0",       "y1",      "yn",      "void",      "volatile",  "using", "typename", "typedef",
        "try",      "throw",   "virtual", "uchar",     "ushort",    "uint",  "ulong",    "size_t",
        "constant", "generic", "pipe",    "protected", "workspace", "ldexp"};
    for (auto const w : words)
      if (w == name) return true;
    for (auto const w : more)
      if (w == name) return true;
    return taken_.count(name) != 0;
  }

  std::set<std::string> taken_;
};

}}}}  // namespace ttune::v0::codegen::c_family
