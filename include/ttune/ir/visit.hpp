// SPDX-License-Identifier: Apache-2.0
// Dispatch on nodes by overloads, and rewriting that returns the same handle if nothing changed.
#pragma once

#include "ttune/ir/operands.hpp"
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
template <class Test>
[[nodiscard]] bool contains(expr const& e, Test const& test) {
  if (test(e)) return true;
  bool found = false;
  for_each_operand(e, [&](expr const& o) { found = found || contains(o, test); });
  return found;
}

/// Rebuilds `e` from its leaves: `f` receives every node after its operands were rewritten, and returns the replacement
/// (its argument for no change).
template <class Function>
[[nodiscard]] expr rewrite(expr const& e, Function&& f) {
  return f(map_operands(e, [&](expr const& o) { return rewrite(o, f); }));
}

/// Rebuilds one level of a statement: its expressions by `on_expr`, its statements by `on_stmt`.
template <class OnStmt, class OnExpr>
[[nodiscard]] stmt map_parts(stmt const& s, OnStmt&& on_stmt, OnExpr&& on_expr) {
  auto const maybe = [&](stmt const& part) { return part ? on_stmt(part) : stmt{}; };
  auto const mapped = [&](std::vector<expr> const& list) {
    std::vector<expr> made;
    for (auto const& e : list) made.push_back(on_expr(e));
    return made;
  };
  return visit(
      s,
      [&](block const& n) {
        bool same = true;
        std::vector<stmt> body;
        for (auto const& part : n.body) {
          body.push_back(on_stmt(part));
          same = same && body.back() == part;
        }
        return same ? s : make_block(std::move(body));
      },
      [&](loop const& n) {
        auto begin = on_expr(n.begin);
        auto end = on_expr(n.end);
        auto body = on_stmt(n.body);
        if (begin == n.begin && end == n.end && body == n.body) return s;
        return make_loop(n.variable, std::move(begin), std::move(end), n.kind, std::move(body));
      },
      [&](let const& n) {
        auto value = on_expr(n.value);
        auto body = on_stmt(n.body);
        return value == n.value && body == n.body ? s : make_let(n.variable, value, n.low, n.high, body);
      },
      [&](conditional const& n) {
        auto condition = on_expr(n.condition);
        auto then = maybe(n.then);
        auto otherwise = maybe(n.otherwise);
        if (condition == n.condition && then == n.then && otherwise == n.otherwise) return s;
        return make_conditional(condition, then, otherwise);
      },
      [&](allocate const& n) {
        auto body = on_stmt(n.body);
        return body == n.body ? s : make_allocate(n.storage, body);
      },
      [&](store const& n) {
        auto indices = mapped(n.indices);
        auto value = on_expr(n.value);
        if (indices == n.indices && value == n.value) return s;
        return make_statement(store{n.to, std::move(indices), std::move(value), n.is_async});
      },
      [&](barrier const&) { return s; },
      [&](prefetch const& n) {
        auto indices = mapped(n.indices);
        return indices == n.indices ? s : make_prefetch(n.from, std::move(indices));
      },
      [&](warp_reduction const& n) {
        auto indices = mapped(n.indices);
        auto part = on_expr(n.part);
        if (indices == n.indices && part == n.part) return s;
        return make_statement(warp_reduction{n.variable, n.threads, n.op, n.to, std::move(indices), std::move(part)});
      },
      [&](matrix_multiply const& n) {
        auto made = n;
        made.sum.indices = mapped(n.sum.indices);
        made.sum.value = on_expr(n.sum.value);
        made.left = on_expr(n.left);
        made.right = on_expr(n.right);
        made.left_by_lanes = mapped(n.left_by_lanes);
        made.right_by_lanes = mapped(n.right_by_lanes);
        bool const same = made.sum.indices == n.sum.indices && made.sum.value == n.sum.value && made.left == n.left &&
                          made.right == n.right && made.left_by_lanes == n.left_by_lanes &&
                          made.right_by_lanes == n.right_by_lanes;
        return same ? s : make_statement(std::move(made));
      });
}

/// Rebuilds a statement from its leaves; `on_expr` receives whole expressions (combine it with `rewrite` above).
template <class OnStmt, class OnExpr>
[[nodiscard]] stmt rewrite(stmt const& s, OnStmt&& on_stmt, OnExpr&& on_expr) {
  if (!s) return s;
  return on_stmt(map_parts(s, [&](stmt const& part) { return rewrite(part, on_stmt, on_expr); }, on_expr));
}

}}}  // namespace ttune::v0::ir
