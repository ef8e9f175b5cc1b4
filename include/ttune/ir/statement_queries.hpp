// SPDX-License-Identifier: Apache-2.0
// Questions about statements and their expressions that passes and emitters ask.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ttune/ir/instruction.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Returns true if the test holds for a statement or one inside of it. Parts are visited in order, outer ones first;
/// inside of a statement for an instruction, they are those of the loops that it stands for.
template <class Test>
[[nodiscard]] bool any_statement(stmt const& s, Test const& test) {
  if (!s) return false;
  if (test(s)) return true;
  auto const inside = [&](stmt const& part) { return any_statement(part, test); };
  if (auto const* n = as<block>(s)) {
    for (auto const& part : n->body)
      if (inside(part)) return true;
    return false;
  }
  if (auto const* n = as<loop>(s)) return inside(n->body);
  if (auto const* n = as<let>(s)) return inside(n->body);
  if (auto const* n = as<allocate>(s)) return inside(n->body);
  if (auto const* n = as<conditional>(s)) return inside(n->then) || inside(n->otherwise);
  return inside(loops_of(s));
}

[[nodiscard]] inline bool is_thread_loop(loop_kind k) noexcept {
  return k >= loop_kind::thread_x && k <= loop_kind::thread_z;
}
[[nodiscard]] inline bool is_block_loop(loop_kind k) noexcept {
  return k >= loop_kind::block_x && k <= loop_kind::block_z;
}

/// Returns true if a statement contains a barrier or a loop over threads.
[[nodiscard]] inline bool needs_all_threads(stmt const& s) {
  return any_statement(s, [](stmt const& part) {
    auto const* l = as<loop>(part);
    return as<barrier>(part) || (l && (is_thread_loop(l->kind) || is_block_loop(l->kind)));
  });
}

[[nodiscard]] inline bool has_barrier(stmt const& s) {
  return any_statement(s, [](stmt const& part) { return as<barrier>(part) != nullptr; });
}

/// Returns true if a part of a statement is done by a matrix or dot-product instruction.
[[nodiscard]] inline bool has_tensorized(stmt const& s) {
  return any_statement(s, [](stmt const& part) {
    auto const* l = as<loop>(part);
    return l && l->kind == loop_kind::tensorized;
  });
}

/// Returns true if four warps multiply matrices in a statement.
[[nodiscard]] inline bool has_warpgroup_product(stmt const& s) {
  return any_statement(s, [](stmt const& part) {
    auto const* m = as<matrix_multiply>(part);
    return m && m->unit == matrix_unit::four_warps;
  });
}

/// Returns true if four warps multiply matrices in a statement, and may run on while the next iteration begins.
[[nodiscard]] inline bool has_product_in_flight(stmt const& s) {
  return any_statement(s, [](stmt const& part) {
    auto const* m = as<matrix_multiply>(part);
    return m && m->in_flight;
  });
}

/// Returns true if an expression contains one of these variables.
[[nodiscard]] inline bool mentions(expr const& e, std::vector<std::string> const& names) {
  return contains(e, [&](expr const& n) {
    auto const* v = as<variable>(n);
    return v && std::find(names.begin(), names.end(), v->name) != names.end();
  });
}

/// Returns true for a loop whose iterations store to the same elements: the loop of a reduction.
[[nodiscard]] inline bool is_over_terms(loop const& l) {
  if (l.kind != loop_kind::serial) return false;
  bool stores = false;
  bool const moves = any_statement(l.body, [&](stmt const& part) {
    auto const* w = as<store>(part);
    stores = stores || w;
    return w &&
           std::any_of(w->indices.begin(), w->indices.end(), [&](expr const& i) { return mentions(i, {l.variable}); });
  });
  return stores && !moves;
}

/// Returns true for a buffer that each thread has for itself.
[[nodiscard]] inline bool is_thread_memory(buffer const& b) noexcept {
  return b.where == memory::local || b.where == memory::registers;
}

/// Returns the buffer that an access of a lowered program reads.
[[nodiscard]] inline buffer const& buffer_of(access const& a) { return *std::get<handle<buffer>>(a.from); }

/// Returns true if one of an access's indices contains a variable.
[[nodiscard]] inline bool any_mentions(std::vector<expr> const& indices, std::string const& variable) {
  return std::any_of(indices.begin(), indices.end(), [&](expr const& i) { return mentions(i, {variable}); });
}

/// Returns the number of iterations of a loop from 0; 0 for other loops.
[[nodiscard]] inline std::int64_t extent_from_zero(loop const& l) {
  return is_constant(l.begin, 0) && is_constant(l.end) ? constant_integer(l.end) : 0;
}

}}}  // namespace ttune::v0::ir
