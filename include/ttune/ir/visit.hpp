// SPDX-License-Identifier: Apache-2.0
// Dispatch on nodes by overloads, and rewriting that returns the same handle if nothing changed.
#pragma once

#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/support/function_ref.hpp"
#include "ttune/support/overloaded.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Calls the overload for the node: `visit(e, [](constant const&) {…}, [](auto const&) {…})`. It does not compile if a
/// kind of node has no overload.
template <class... Functions>
decltype(auto) visit(expr const& e, Functions&&... functions) {
  return std::visit(overloaded<std::decay_t<Functions>...>{std::forward<Functions>(functions)...}, e->what);
}
template <class... Functions>
decltype(auto) visit(stmt const& s, Functions&&... functions) {
  return std::visit(overloaded<std::decay_t<Functions>...>{std::forward<Functions>(functions)...}, s->what);
}

/// Calls `f` on the direct operands of an expression, in order of evaluation, without building anything. A chain of
/// tests replaces `visit` here, which would be instantiated for each of the many functions that walk expressions.
template <class Function>
void for_each_operand(expr const& e, Function&& f) {
  static_assert(std::variant_size_v<decltype(expr_node::what)> == 8, "a new kind of node: has it operands?");
  if (auto const* u = as<unary>(e)) {
    f(u->operand);
  } else if (auto const* b = as<binary>(e)) {
    f(b->left);
    f(b->right);
  } else if (auto const* s = as<select>(e)) {
    f(s->condition);
    f(s->when_true);
    f(s->when_false);
  } else if (auto const* c = as<cast>(e)) {
    f(c->operand);
  } else if (auto const* a = as<access>(e)) {
    for (auto const& i : a->indices) f(i);
    if (a->fill) f(a->fill);
  }
}

/// Returns true for an operation on elements: not on indices or conditions, and not a conversion.
[[nodiscard]] inline bool is_arithmetic(expr const& e) {
  auto const* u = as<unary>(e);
  if (u ? u->op == unary_op::round_to_tf32 : !as<binary>(e)) return false;
  return e->type != dtype::index && e->type != dtype::boolean;
}

/// Returns true if `test` holds for `e` or for one of its subexpressions.
[[nodiscard]] bool contains(expr const& e, function_ref<bool(expr const&)> test);

/// Rebuilds `e` from its leaves: `f` receives every node after its operands were rewritten, and returns the replacement
/// (its argument for no change).
[[nodiscard]] expr rewrite(expr const& e, function_ref<expr(expr const&)> f);

/// Rebuilds one level of a statement: its expressions by `on_expr`, its statements by `on_stmt`.
[[nodiscard]] stmt map_parts(stmt const& s, function_ref<stmt(stmt const&)> on_stmt,
                             function_ref<expr(expr const&)> on_expr);

/// Rebuilds a statement from its leaves; `on_expr` receives whole expressions (combine it with `rewrite` above).
[[nodiscard]] stmt rewrite(stmt const& s, function_ref<stmt(stmt const&)> on_stmt,
                           function_ref<expr(expr const&)> on_expr);

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/visit.inl.hpp"
#endif
