// SPDX-License-Identifier: Apache-2.0
// Rebuilds one level of an expression: `map_operands` applies a function to each direct operand, and returns the same
// handle if nothing changed. The caller recurses.
#pragma once

#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace ir {

template <class Function>
[[nodiscard]] expr map_operands(expr const& e, Function&& f) {
  if (auto const* n = as<unary>(e)) {
    auto a = f(n->operand);
    return a == n->operand ? e : make_unary(n->op, std::move(a));
  }
  if (auto const* n = as<binary>(e)) {
    auto a = f(n->left);
    auto b = f(n->right);
    return a == n->left && b == n->right ? e : make_binary(n->op, std::move(a), std::move(b));
  }
  if (auto const* n = as<select>(e)) {
    auto c = f(n->condition);
    auto a = f(n->when_true);
    auto b = f(n->when_false);
    if (c == n->condition && a == n->when_true && b == n->when_false) return e;
    auto made = make_select(std::move(c), std::move(a), std::move(b));
    return n->speculatable ? make_speculatable(made) : made;
  }
  if (auto const* n = as<cast>(e)) {
    auto a = f(n->operand);
    return a == n->operand ? e : make_cast(e->type, std::move(a));
  }
  if (auto const* n = as<access>(e)) {
    bool same = true;
    std::vector<expr> indices;
    indices.reserve(n->indices.size());
    for (auto const& i : n->indices) {
      indices.push_back(f(i));
      same = same && indices.back() == i;
    }
    auto fill = n->fill ? f(n->fill) : expr{};
    if (same && fill == n->fill) return e;
    return make_access(n->from, std::move(indices), n->outside, std::move(fill), n->component);
  }
  return e;
}

/// Calls `f` on `e` and on all its subexpressions, outermost first.
template <class Function>
void for_each_node(expr const& e, Function&& f) {
  f(e);
  (void)map_operands(e, [&](expr const& operand) {
    for_each_node(operand, f);
    return operand;
  });
}

}}}  // namespace ttune::v0::ir
