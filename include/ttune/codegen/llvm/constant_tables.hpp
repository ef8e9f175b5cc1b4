// SPDX-License-Identifier: Apache-2.0
// Buffers with known content: constants of the module.
#pragma once

#include <string>
#include <unordered_map>
#include <variant>

#include "ttune/codegen/llvm/module_text.hpp"
#include "ttune/core/float16.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Adds an array to the module for each buffer with known content that a statement reads.
class constant_tables {
 public:
  explicit constant_tables(module_text& module) : module_(module) {}

  void add_tables_of(ir::stmt const& s) {
    auto const look = [&](ir::expr const& e) {
      if (auto const* a = ir::as<ir::access>(e)) add(*std::get<handle<ir::buffer>>(a->from));
    };
    if (auto const* n = ir::as<ir::block>(s))
      for (auto const& c : n->body) add_tables_of(c);
    if (auto const* n = ir::as<ir::loop>(s)) add_tables_of(n->body);
    if (auto const* n = ir::as<ir::let>(s)) add_tables_of(n->body);
    if (auto const* n = ir::as<ir::conditional>(s))
      ir::for_each_node(n->condition, look), add_tables_of(n->then), add_tables_of(n->otherwise);
    if (auto const* n = ir::as<ir::allocate>(s)) add_tables_of(n->body);
    if (auto const* n = ir::as<ir::store>(s)) {
      for (auto const& i : n->indices) ir::for_each_node(i, look);
      ir::for_each_node(n->value, look);
    }
  }

  /// Returns the address of a buffer's content.
  [[nodiscard]] std::string const& at(ir::buffer const& b) const { return names_.at(&b); }

 private:
  void add(ir::buffer const& b) {
    if (b.content.empty() || names_.count(&b) != 0) return;
    auto const name = "@table" + std::to_string(names_.size());
    auto const type = memory_type(b.type);
    std::string values;
    for (auto const v : b.content)
      values += (values.empty() ? "" : ", ") + type + " " +
                (b.type == dtype::f16    ? std::to_string(to_f16(v).bits)
                 : b.type == dtype::bf16 ? std::to_string(to_bf16(v).bits)
                 : is_float(b.type)      ? real_literal(b.type, v)
                                         : integer_literal(dtype::i64, static_cast<std::int64_t>(v)));
    module_.add_array(name, static_cast<std::size_t>(b.elements()), type, values);
    names_[&b] = name;
  }

  module_text& module_;
  std::unordered_map<ir::buffer const*, std::string> names_;
};

}}}}  // namespace ttune::v0::codegen::llvm
