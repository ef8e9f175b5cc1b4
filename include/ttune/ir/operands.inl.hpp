// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"

namespace ttune { inline namespace v0 { namespace ir {

expr map_operands(expr const& e, function_ref<expr(expr const&)> f) {
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

void for_each_node(expr const& e, function_ref<void(expr const&)> f) {
  f(e);
  for_each_operand(e, [&](expr const& operand) { for_each_node(operand, f); });
}

namespace detail {

inline void visit_distinct(expr const& e, function_ref<void(expr const&)> f,
                           std::unordered_set<expr_node const*>& seen) {
  bool const has_one_owner = e->references.load(std::memory_order_relaxed) == 1;  // it cannot be met again
  if (!has_one_owner && !seen.insert(e.get()).second) return;
  f(e);
  for_each_operand(e, [&](expr const& operand) { visit_distinct(operand, f, seen); });
}

}  // namespace detail

void for_each_distinct_node(expr const& e, function_ref<void(expr const&)> f) {
  std::unordered_set<expr_node const*> seen;
  detail::visit_distinct(e, f, seen);
}

}}}  // namespace ttune::v0::ir
