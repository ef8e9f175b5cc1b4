// SPDX-License-Identifier: Apache-2.0
// Finds what statements store, the names of buffers and the widest type, and whether they have loops.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "ttune/codegen/llvm/values.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Calls f(store) for each store in a statement.
template <class Function>
void for_each_store(ir::stmt const& s, Function const& f) {
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& c : n->body) for_each_store(c, f);
  if (auto const* n = ir::as<ir::loop>(s)) for_each_store(n->body, f);
  if (auto const* n = ir::as<ir::let>(s)) for_each_store(n->body, f);
  if (auto const* n = ir::as<ir::conditional>(s)) for_each_store(n->then, f), for_each_store(n->otherwise, f);
  if (auto const* n = ir::as<ir::allocate>(s)) for_each_store(n->body, f);
  if (auto const* n = ir::as<ir::store>(s)) f(*n);
  if (auto const* n = ir::as<ir::matrix_multiply>(s)) f(n->sum);
}

/// Returns true if a statement has a loop that is one of the machine, or may become one.
[[nodiscard]] inline bool has_serial_loop(ir::stmt const& s) {
  if (!s) return false;
  if (auto const* n = ir::as<ir::block>(s)) return std::any_of(n->body.begin(), n->body.end(), has_serial_loop);
  if (auto const* n = ir::as<ir::loop>(s)) return n->kind == ir::loop_kind::serial || has_serial_loop(n->body);
  if (auto const* n = ir::as<ir::let>(s)) return has_serial_loop(n->body);
  if (auto const* n = ir::as<ir::conditional>(s)) return has_serial_loop(n->then) || has_serial_loop(n->otherwise);
  if (auto const* n = ir::as<ir::allocate>(s)) return has_serial_loop(n->body);
  return ir::as<ir::matrix_multiply>(s) != nullptr;
}

[[nodiscard]] inline std::set<std::string> stored_buffers(ir::stmt const& s) {
  std::set<std::string> names;
  for_each_store(s, [&](ir::store const& write) { names.insert(write.to->name); });
  return names;
}

/// Returns the type with the widest arithmetic among the types of stores; the first one of several.
[[nodiscard]] inline dtype widest_store(ir::stmt const& s) {
  dtype widest = dtype::i8;
  for_each_store(s, [&](ir::store const& write) {
    auto const t = write.to->type;
    if (size_in_bytes(compute_type(t)) > size_in_bytes(compute_type(widest))) widest = t;
  });
  return widest;
}

}}}}  // namespace ttune::v0::codegen::llvm
