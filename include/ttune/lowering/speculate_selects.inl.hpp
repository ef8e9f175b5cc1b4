// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/conditions.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/known_facts.hpp"
#include "ttune/lowering/speculate_selects.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// Marks the selects of statements, given the ranges of what is declared on the way down.
class select_marker {
 public:
  ir::stmt visit(ir::stmt const& s) {
    if (!s) return s;
    if (auto const* n = ir::as<ir::loop>(s)) {
      auto const low = arith::bounds(n->begin, known_).low;
      auto const high = arith::bounds(n->end, known_).high;
      auto inner = known_;
      inner[n->variable] = {low, high >= arith::unbounded.high ? high : std::max(low, high - 1)};
      return parts(s, inner);
    }
    auto inner = known_;
    if (auto const* n = ir::as<ir::let>(s)) inner[n->variable] = {n->low, n->high - 1};
    if (auto const* n = ir::as<ir::conditional>(s)) return conditional(s, *n);
    return parts(s, inner);
  }

 private:
  ir::stmt parts(ir::stmt const& s, arith::ranges const& inner) {
    return ir::map_parts(
        s, [&](ir::stmt const& part) { return within(inner, part); },
        [&](ir::expr const& e) { return marked(e, known_); });
  }

  ir::stmt conditional(ir::stmt const& s, ir::conditional const& n) {
    auto const condition = marked(n.condition, known_);
    auto const then = within(ranges_where(n.condition, known_), n.then);
    auto const otherwise = visit(n.otherwise);
    if (condition == n.condition && then == n.then && otherwise == n.otherwise) return s;
    return ir::make_conditional(condition, then, otherwise);
  }

  ir::stmt within(arith::ranges inner, ir::stmt const& part) {
    std::swap(known_, inner);
    auto made = visit(part);
    std::swap(known_, inner);
    return made;
  }

  static ir::expr marked(ir::expr const& e, arith::ranges const& known) {
    auto const* s = ir::as<ir::select>(e);
    if (!s) return ir::map_operands(e, [&](ir::expr const& o) { return marked(o, known); });
    auto const inside = ranges_where(s->condition, known);
    bool const harmless = known_facts{inside, {}}.allow(s->when_true) && known_facts{known, {}}.allow(s->when_false);
    auto const condition = marked(s->condition, known);
    auto const when_true = marked(s->when_true, inside);
    auto const when_false = marked(s->when_false, known);
    bool const same = condition == s->condition && when_true == s->when_true && when_false == s->when_false;
    auto const made = same ? e : ir::make_select(condition, when_true, when_false);
    return harmless ? ir::make_speculatable(made) : made;
  }

  arith::ranges known_;
};

}  // namespace detail

ir::stmt speculate_selects(ir::stmt const& s) { return detail::select_marker().visit(s); }

}}}  // namespace ttune::v0::lowering
