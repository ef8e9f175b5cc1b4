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
