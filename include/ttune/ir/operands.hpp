// SPDX-License-Identifier: Apache-2.0
// Walks over expressions, and rebuilds one level of an expression.
#pragma once

#include <variant>

#include "ttune/ir/make.hpp"
#include "ttune/support/function_ref.hpp"

namespace ttune { inline namespace v0 { namespace ir {

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

/// Applies `f` to each direct operand, in order of evaluation; the result is `e` itself if nothing changed. The caller
/// recurses.
[[nodiscard]] expr map_operands(expr const& e, function_ref<expr(expr const&)> f);

/// Calls `f` on `e` and on all its subexpressions, outermost first.
void for_each_node(expr const& e, function_ref<void(expr const&)> f);

/// Calls `f` on `e` and on its subexpressions, outermost first, but only once on one that is used in several places:
/// takes time in the number of nodes in memory, where `for_each_node` takes time in those of the tree.
void for_each_distinct_node(expr const& e, function_ref<void(expr const&)> f);

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/operands.inl.hpp"
#endif
