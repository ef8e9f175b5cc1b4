// SPDX-License-Identifier: Apache-2.0
// Copies statements so that each occurrence is a node of its own.
#pragma once

#include <utility>
#include <variant>

#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Passes use the same node where a statement occurs repeatedly. Returns the same tree with a node for each occurrence,
/// which then has a line of its own; expressions and buffers stay shared.
[[nodiscard]] inline ir::stmt own_statements(ir::stmt const& s) {
  if (!s) return s;
  auto made = *s;
  if (auto* several = std::get_if<ir::block>(&made.what))
    for (auto& c : several->body) c = own_statements(c);
  if (auto* l = std::get_if<ir::loop>(&made.what)) l->body = own_statements(l->body);
  if (auto* l = std::get_if<ir::let>(&made.what)) l->body = own_statements(l->body);
  if (auto* a = std::get_if<ir::allocate>(&made.what)) a->body = own_statements(a->body);
  if (auto* c = std::get_if<ir::conditional>(&made.what)) {
    c->then = own_statements(c->then);
    c->otherwise = own_statements(c->otherwise);
  }
  return share(std::move(made));
}

}}}}  // namespace ttune::v0::codegen::llvm
