// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>

#include "ttune/records/export/c_names.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::string c_identifier(std::string_view text) {
  std::string made(text);
  for (auto& c : made)
    if (auto const one = std::string_view(&c, 1); !is_c_identifier(one) && !(c >= '0' && c <= '9')) c = '_';
  return made.empty() || (made.front() >= '0' && made.front() <= '9') ? "_" + made : made;
}

bool is_c_identifier(std::string_view text) {
  auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// Words that no parameter or function may be called: those of C and C++, and names that headers use as macros.
inline constexpr std::string_view c_words[] = {
    "alignas",   "alignof",     "and",        "asm",       "auto",     "bool",     "break",     "case",     "catch",
    "char",      "class",       "concept",    "const",     "continue", "default",  "delete",    "do",       "double",
    "else",      "enum",        "explicit",   "export",    "extern",   "false",    "float",     "for",      "friend",
    "goto",      "if",          "inline",     "int",       "long",     "mutable",  "namespace", "new",      "not",
    "operator",  "or",          "private",    "protected", "public",   "register", "requires",  "restrict", "return",
    "short",     "signed",      "sizeof",     "static",    "struct",   "switch",   "template",  "this",     "throw",
    "true",      "try",         "typedef",    "typename",  "union",    "unsigned", "using",     "virtual",  "void",
    "volatile",  "while",       "xor",        "I",         "linux",    "unix",     "NULL",      "EOF",      "stdin",
    "stdout",    "stderr",      "errno",      "context",   "prepared", "operands", "complex",   "nullptr",  "constexpr",
    "constinit", "co_await",    "consteval",  "decltype",  "noexcept", "co_yield", "co_return", "wchar_t",  "typeof",
    "pointers",  "own_extents", "own_strides"};

std::string safe_word(std::string_view text) {
  auto made = c_identifier(text);
  return std::ranges::find(c_words, made) != std::end(c_words) ? made + "_" : made;
}

std::vector<std::string> parameters_of(kernel_signature const& signature) {
  std::vector<std::string> made;
  for (auto const& o : signature.operands) {
    auto name = safe_word(o.name);
    while (std::ranges::find(made, name) != made.end()) name += "_";
    made.push_back(std::move(name));
  }
  return made;
}

std::vector<std::string> extents_of_calls(open_range const& range, std::vector<std::string> const& parameters) {
  std::vector<std::string> made;
  auto const is_taken = [&](std::string const& name) {
    return std::ranges::find(made, name) != made.end() || std::ranges::find(parameters, name) != parameters.end();
  };
  for (auto const& extent : range.extents) {
    auto name = safe_word(extent);
    while (is_taken(name)) name += "_";
    made.push_back(std::move(name));
  }
  return made;
}

/// Returns the names that a kernel of this name takes in the library.
inline std::array<std::string, 5> names_taken(std::string const& name) {
  return {name, name + "_prepare", name + "_prepared_bytes", name + "_workspace_bytes", name + "_target"};
}

void name_kernels(std::vector<exported_kernel>& all) {
  std::map<std::string, int> uses;
  for (auto const& k : all)
    if (k.name.empty()) ++uses[safe_word(k.signature.name)];
  std::set<std::string> taken{"status", "context", "body", "free", "forbid"};
  auto const take = [&](std::string const& name) {
    auto const own = names_taken(name);
    if (std::ranges::any_of(own, [&](auto const& one) { return taken.contains(one); })) return false;
    taken.insert(own.begin(), own.end());
    return true;
  };
  for (auto& k : all)
    if (!k.name.empty() && !take(k.name))
      throw argument_error("two functions would be called \"" + k.name +
                           "\": choose names that differ, as in --kernel " + id_of(k.variants.front().key) +
                           "=FUNCTION");
  for (auto& k : all) {
    if (!k.name.empty()) continue;
    auto const& key = k.variants.front().key;
    auto const base = safe_word(k.signature.name);
    auto sized = base;
    for (std::size_t i = 0; i < key.extents.size(); ++i) sized += (i ? "x" : "_") + std::to_string(key.extents[i]);
    char hash[18];
    std::snprintf(hash, sizeof hash, "_%016llx", static_cast<unsigned long long>(key.compute));
    for (auto const& name : {uses[base] == 1 ? base : sized, sized, sized + hash})
      if (k.name.empty() && take(name)) k.name = name;
    for (int i = 2; k.name.empty(); ++i)
      if (auto const name = sized + hash + "_" + std::to_string(i); take(name)) k.name = name;
  }
}

}}}  // namespace ttune::v0::detail
