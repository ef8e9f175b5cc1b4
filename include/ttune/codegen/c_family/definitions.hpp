// SPDX-License-Identifier: Apache-2.0
// Functions and tables of a program's text that all of its kernels share.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ttune/codegen/c_family/c_types.hpp"
#include "ttune/codegen/c_family/helper_text.hpp"
#include "ttune/core/float16.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Collects functions and tables. In: requests by name. Out: their text before all kernels, each of them once:
/// functions in the order of their names, tables in the order of their first use.
class definitions {
 public:
  definitions(c_dialect const& dialect, c_types const& types) : dialect_(dialect), types_(types) {}

  /// Adds a function; `text()` is called if there is none with that name.
  template <class Text>
  void define(std::string const& name, Text const& text) {
    if (!functions_.contains(name)) functions_.emplace(name, text());
  }
  /// Returns a call of a small function (helper_text.hpp), which is defined for the type and lanes of its arguments.
  [[nodiscard]] c_value call(std::string const& base, dtype type, std::vector<c_value> const& arguments);
  /// Returns the name of a table: a buffer whose values are known.
  [[nodiscard]] std::string table(ir::buffer const& b);

  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::string table_element(dtype type, double v) const;

  c_dialect const& dialect_;
  c_types const& types_;
  std::map<std::string, std::string> functions_;  ///< text by name
  std::map<ir::buffer const*, std::string> table_names_;
  std::string tables_;
};

inline c_value definitions::call(std::string const& base, dtype type, std::vector<c_value> const& arguments) {
  int lanes = 1;
  for (auto const& a : arguments) lanes = std::max(lanes, a.lanes);
  auto const of = arguments[0].type;
  bool const converts = base.starts_with("to_") || base.starts_with("from_");
  bool const of_indices = of == dtype::index || type == dtype::index;
  auto const name = "ttune_" + base + "_" + (converts ? std::string(ttune::name_of(of)) + "_" : "") +
                    ttune::name_of(type) + (lanes > 1 ? "x" + std::to_string(lanes) : "") +
                    (of_indices ? std::to_string(types_.index_bits()) : "");
  define(name, [&] {
    return helper_text(dialect_, types_, name, type == dtype::index ? dtype::index : of, lanes).write(base);
  });
  return types_.call(name, type, arguments);
}

inline std::string definitions::table_element(dtype type, double v) const {
  if (type == dtype::f16) return std::to_string(to_f16(v).bits);
  if (type == dtype::bf16) return std::to_string(to_bf16(v).bits);
  ir::constant c;
  c.real = v;
  c.integer = static_cast<std::int64_t>(v);
  return types_.constant(type == dtype::boolean ? dtype::u8 : type, c).text;
}

inline std::string definitions::table(ir::buffer const& b) {
  auto& name = table_names_[&b];
  if (!name.empty()) return name;
  name = "table_" + std::to_string(table_names_.size());
  std::string values;
  for (auto const v : b.content) values += (values.empty() ? "" : ", ") + table_element(b.type, v);
  tables_ += dialect_.table_prefix() + dialect_.storage(b.type) + " " + name + "[" + std::to_string(b.elements()) +
             "] = {" + values + "};\n\n";
  return name;
}

inline std::string definitions::text() const {
  std::string made;
  for (auto const& [name, text] : functions_) made += text;
  if (!functions_.empty()) made += "\n";
  return made + tables_;
}

}}}}  // namespace ttune::v0::codegen::c_family
