// SPDX-License-Identifier: Apache-2.0
// Finds what partition needs to know about a statement: its stores, its choices between two expressions, and the
// memory that it uses.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "ttune/ir/operands.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// Returns a choice between two expressions, neither of which is a constant: two kinds of elements, not a boundary.
[[nodiscard]] inline ir::select const* as_choice(ir::expr const& e) {
  auto const* s = ir::as<ir::select>(e);
  return s && !ir::is_constant(s->when_true) && !ir::is_constant(s->when_false) ? s : nullptr;
}

/// Calls f for each store inside of a statement.
template <class F>
void for_each_store(ir::stmt const& s, F const& f) {
  if (!s) return;
  if (auto const* n = ir::as<ir::store>(s)) f(*n);
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& c : n->body) for_each_store(c, f);
  if (auto const* n = ir::as<ir::allocate>(s)) for_each_store(n->body, f);
  if (auto const* n = ir::as<ir::let>(s)) for_each_store(n->body, f);
  if (auto const* n = ir::as<ir::loop>(s)) for_each_store(n->body, f);
  if (auto const* n = ir::as<ir::conditional>(s)) for_each_store(n->then, f), for_each_store(n->otherwise, f);
}

/// Calls f for the value of each store inside of a statement.
template <class F>
void for_each_value(ir::stmt const& s, F const& f) {
  for_each_store(s, [&](ir::store const& w) { f(w.value); });
}

/// Returns true if a statement contains such a choice that compares an index.
[[nodiscard]] inline bool has_choices(ir::stmt const& all) {
  bool found = false;
  for_each_value(all, [&](ir::expr const& value) {
    found = found || ir::contains(value, [](ir::expr const& e) {
              auto const* s = as_choice(e);
              auto const* b = s ? ir::as<ir::binary>(s->condition) : nullptr;
              return b && b->left->type == dtype::index &&
                     (b->op == ir::binary_op::less || b->op == ir::binary_op::less_equal);
            });
  });
  return found;
}

/// Returns true if a statement stores into, or reads from, a buffer for which `is_meant(buffer)` is true.
template <class F>
[[nodiscard]] bool uses_buffer(ir::stmt const& s, F const& is_meant) {
  bool found = false;
  for_each_store(s, [&](ir::store const& w) {
    found = found || is_meant(*w.to) || ir::contains(w.value, [&](ir::expr const& e) {
              auto const* a = ir::as<ir::access>(e);
              auto const* b = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
              return b && is_meant(**b);
            });
  });
  return found;
}

[[nodiscard]] inline bool uses_registers(ir::stmt const& s) {
  return uses_buffer(s, [](ir::buffer const& b) { return b.where == ir::memory::registers; });
}

/// Returns true if a statement uses an array of a device thread. Such an array becomes registers only if all its
/// places are constants after unrolling: loops have constant lengths, and conditions are predicates.
[[nodiscard]] inline bool uses_own_array(ir::stmt const& s) {
  return uses_buffer(
      s, [](ir::buffer const& b) { return b.where == ir::memory::local || b.where == ir::memory::registers; });
}

[[nodiscard]] inline bool is_unrolled(ir::loop_kind k) {
  return k == ir::loop_kind::unrolled || k == ir::loop_kind::vectorized || k == ir::loop_kind::tensorized;
}

[[nodiscard]] inline bool in_registers(ir::allocate const& a) { return a.storage->where == ir::memory::registers; }

/// Adds the variables of the loops and definitions inside of a statement.
inline void variables_inside(ir::stmt const& s, std::set<std::string>& out) {
  if (!s) return;
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& c : n->body) variables_inside(c, out);
  if (auto const* n = ir::as<ir::allocate>(s)) variables_inside(n->body, out);
  if (auto const* n = ir::as<ir::conditional>(s)) variables_inside(n->then, out), variables_inside(n->otherwise, out);
  if (auto const* n = ir::as<ir::let>(s)) out.insert(n->variable), variables_inside(n->body, out);
  if (auto const* n = ir::as<ir::loop>(s)) out.insert(n->variable), variables_inside(n->body, out);
}

}}}}  // namespace ttune::v0::lowering::detail
