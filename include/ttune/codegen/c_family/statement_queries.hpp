// SPDX-License-Identifier: Apache-2.0
// Questions about statements and expressions that several analyses and emitters of C-like text ask.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Returns true if the test holds for a statement or one inside of it. Parts are visited in order, outer ones first.
template <class Test>
[[nodiscard]] bool any_statement(ir::stmt const& s, Test const& test) {
  if (!s) return false;
  if (test(s)) return true;
  auto const inside = [&](ir::stmt const& part) { return any_statement(part, test); };
  if (auto const* n = ir::as<ir::block>(s)) {
    for (auto const& part : n->body)
      if (inside(part)) return true;
    return false;
  }
  if (auto const* n = ir::as<ir::loop>(s)) return inside(n->body);
  if (auto const* n = ir::as<ir::let>(s)) return inside(n->body);
  if (auto const* n = ir::as<ir::allocate>(s)) return inside(n->body);
  if (auto const* n = ir::as<ir::conditional>(s)) return inside(n->then) || inside(n->otherwise);
  return false;
}

[[nodiscard]] inline bool is_thread_loop(ir::loop_kind k) noexcept {
  return k >= ir::loop_kind::thread_x && k <= ir::loop_kind::thread_z;
}
[[nodiscard]] inline bool is_block_loop(ir::loop_kind k) noexcept {
  return k >= ir::loop_kind::block_x && k <= ir::loop_kind::block_z;
}

/// Returns true if a statement contains a barrier or a loop over threads.
[[nodiscard]] inline bool needs_all_threads(ir::stmt const& s) {
  return any_statement(s, [](ir::stmt const& part) {
    auto const* l = ir::as<ir::loop>(part);
    return ir::as<ir::barrier>(part) || (l && (is_thread_loop(l->kind) || is_block_loop(l->kind)));
  });
}

[[nodiscard]] inline bool has_barrier(ir::stmt const& s) {
  return any_statement(s, [](ir::stmt const& part) { return ir::as<ir::barrier>(part) != nullptr; });
}

/// Returns true if a part of a statement is done by a matrix or dot-product instruction.
[[nodiscard]] inline bool has_tensorized(ir::stmt const& s) {
  return any_statement(s, [](ir::stmt const& part) {
    auto const* l = ir::as<ir::loop>(part);
    return l && l->kind == ir::loop_kind::tensorized;
  });
}

/// Returns true if an expression contains one of these variables.
[[nodiscard]] inline bool mentions(ir::expr const& e, std::vector<std::string> const& names) {
  return ir::contains(e, [&](ir::expr const& n) {
    auto const* v = ir::as<ir::variable>(n);
    return v && std::find(names.begin(), names.end(), v->name) != names.end();
  });
}

/// Returns true for a loop whose iterations store to the same elements: the loop of a reduction.
[[nodiscard]] inline bool is_over_terms(ir::loop const& l) {
  if (l.kind != ir::loop_kind::serial) return false;
  bool stores = false;
  bool const moves = any_statement(l.body, [&](ir::stmt const& part) {
    auto const* w = ir::as<ir::store>(part);
    stores = stores || w;
    return w && std::any_of(w->indices.begin(), w->indices.end(),
                            [&](ir::expr const& i) { return mentions(i, {l.variable}); });
  });
  return stores && !moves;
}

/// Returns true for a buffer that each thread has for itself.
[[nodiscard]] inline bool is_thread_memory(ir::buffer const& b) noexcept {
  return b.where == ir::memory::local || b.where == ir::memory::registers;
}

/// Returns the buffer that an access of a lowered program reads.
[[nodiscard]] inline ir::buffer const& buffer_of(ir::access const& a) { return *std::get<handle<ir::buffer>>(a.from); }

/// Returns true if one of an access's indices contains a variable.
[[nodiscard]] inline bool any_mentions(std::vector<ir::expr> const& indices, std::string const& variable) {
  return std::any_of(indices.begin(), indices.end(), [&](ir::expr const& i) { return mentions(i, {variable}); });
}

/// Returns the number of iterations of a loop from 0; 0 for other loops.
[[nodiscard]] inline std::int64_t extent_from_zero(ir::loop const& l) {
  return ir::is_constant(l.begin, 0) && ir::is_constant(l.end) ? ir::constant_integer(l.end) : 0;
}

/// Returns the type in which values of an element type are computed.
[[nodiscard]] inline dtype computed_as(dtype t) noexcept {
  return t == dtype::f16 || t == dtype::bf16 ? dtype::f32 : t;
}

/// Returns the type with the most bytes in which a stored value is computed; i8 if nothing is stored.
[[nodiscard]] inline dtype widest_stored_type(ir::stmt const& s) {
  auto widest = dtype::i8;
  (void)any_statement(s, [&](ir::stmt const& part) {
    if (auto const* w = ir::as<ir::store>(part); w && size_in_bytes(computed_as(w->to->type)) > size_in_bytes(widest))
      widest = computed_as(w->to->type);
    return false;
  });
  return widest;
}

}}}}  // namespace ttune::v0::codegen::c_family
