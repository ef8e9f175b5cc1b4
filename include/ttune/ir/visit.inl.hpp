// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

bool contains(expr const& e, function_ref<bool(expr const&)> test) {
  if (test(e)) return true;
  bool found = false;
  for_each_operand(e, [&](expr const& operand) { found = found || contains(operand, test); });
  return found;
}

expr rewrite(expr const& e, function_ref<expr(expr const&)> f) {
  return f(map_operands(e, [&](expr const& operand) { return rewrite(operand, f); }));
}

stmt map_parts(stmt const& s, function_ref<stmt(stmt const&)> on_stmt, function_ref<expr(expr const&)> on_expr) {
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
        return make_conditional_like(n, condition, then, otherwise);
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
        bool same = true;
        for (auto& l : made.loops) {
          auto const begin = std::exchange(l.begin, on_expr(l.begin));
          auto const end = std::exchange(l.end, on_expr(l.end));
          same = same && l.begin == begin && l.end == end;
        }
        made.sum.indices = mapped(n.sum.indices);
        made.sum.value = on_expr(n.sum.value);
        made.left = on_expr(n.left);
        made.right = on_expr(n.right);
        made.left_by_lanes = mapped(n.left_by_lanes);
        made.right_by_lanes = mapped(n.right_by_lanes);
        same = same && made.sum.indices == n.sum.indices && made.sum.value == n.sum.value && made.left == n.left &&
               made.right == n.right && made.left_by_lanes == n.left_by_lanes &&
               made.right_by_lanes == n.right_by_lanes;
        return same ? s : make_statement(std::move(made));
      });
}

stmt rewrite(stmt const& s, function_ref<stmt(stmt const&)> on_stmt, function_ref<expr(expr const&)> on_expr) {
  if (!s) return s;
  return on_stmt(map_parts(s, [&](stmt const& part) { return rewrite(part, on_stmt, on_expr); }, on_expr));
}

}}}  // namespace ttune::v0::ir
