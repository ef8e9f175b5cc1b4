// SPDX-License-Identifier: Apache-2.0
// The text of a module outside of the function that is being written: declarations, constants, finished functions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ttune/codegen/llvm/values.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Collects the parts of a module. Every constant and every helper function is there once. If the functions have to be
/// written again, constants and declarations keep their names.
class module_text {
 public:
  void declare(std::string const& declaration) { declarations_.insert(declaration); }

  /// Adds an array of `count` constants; `values` are the elements with their types.
  void add_array(std::string const& name, std::size_t count, std::string const& type, std::string const& values) {
    globals_ += name + " = private unnamed_addr constant [" + std::to_string(count) + " x " + type + "] [" + values +
                "], align 64\n";
  }

  /// Returns the name of an array of doubles.
  [[nodiscard]] std::string array_of(std::vector<double> const& values) {
    auto const [place, is_new] = arrays_.try_emplace(values, "@constants" + std::to_string(arrays_.size()));
    if (!is_new) return place->second;
    std::string list;
    for (double const v : values) list += (list.empty() ? "double " : ", double ") + real_literal(dtype::f64, v);
    add_array(place->second, values.size(), "double", list);
    return place->second;
  }

  /// Returns the name of an array of bytes.
  [[nodiscard]] std::string array_of_bytes(std::vector<std::uint8_t> const& values) {
    auto const [place, is_new] = bytes_.try_emplace(values, "@bytes" + std::to_string(bytes_.size()));
    if (!is_new) return place->second;
    std::string list;
    for (int const v : values) list += (list.empty() ? "i8 " : ", i8 ") + std::to_string(v);
    add_array(place->second, values.size(), "i8", list);
    return place->second;
  }

  /// Returns the name of an array whose elements are all the same literal.
  [[nodiscard]] std::string array_filled_with(std::string const& literal, std::string const& type, int count) {
    auto const key = std::to_string(count) + " " + type + " " + literal;
    auto const [place, is_new] = filled_.try_emplace(key, "@instead" + std::to_string(filled_.size()));
    if (!is_new) return place->second;
    std::string values;
    for (int i = 0; i < count; ++i) values += (i != 0 ? ", " : "") + type + " " + literal;
    add_array(place->second, static_cast<std::size_t>(count), type, values);
    return place->second;
  }

  /// Returns true for the first use of a helper function: the caller then adds it.
  [[nodiscard]] bool needs_helper(std::string const& name) { return helpers_.insert(name).second; }

  void add_function(std::string const& text) { functions_ += text; }

  void forget_functions() {
    functions_.clear();
    helpers_.clear();
  }

  /// Returns the module for a machine with vectors of this size.
  [[nodiscard]] std::string finished(int vector_bytes) const {
    std::string text;
    for (auto const& d : declarations_) text += d + "\n";
    auto const bits = std::to_string(vector_bytes * 8);
    text += globals_ + "\n" + functions_ + "\nattributes #0 = { nounwind \"no-builtins\" \"prefer-vector-width\"=\"" +
            bits + "\" \"min-legal-vector-width\"=\"" + bits + "\" }\n";
    return text;
  }

 private:
  std::set<std::string> declarations_;
  std::string globals_;
  std::string functions_;
  std::map<std::vector<double>, std::string> arrays_;
  std::map<std::vector<std::uint8_t>, std::string> bytes_;
  std::map<std::string, std::string> filled_;
  std::set<std::string> helpers_;
};

}}}}  // namespace ttune::v0::codegen::llvm
