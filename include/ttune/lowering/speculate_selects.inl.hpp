// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
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

/// Marks the selects of statements, given what is known of the variables that are declared on the way down.
class select_marker {
 public:
  ir::stmt visit(ir::stmt const& s) {
    if (!s) return s;
    auto inner = known_;
    if (auto const* n = ir::as<ir::loop>(s)) declare_loop(*n, inner);
    if (auto const* n = ir::as<ir::let>(s)) inner.variables[n->variable] = {n->low, n->high - 1};
    if (auto const* n = ir::as<ir::conditional>(s)) return conditional(s, *n);
    return parts(s, inner);
  }

 private:
  /// Adds the range of a loop's variable, and that it is below each part of an end such as min(n - 16 * i, 16).
  void declare_loop(ir::loop const& l, known_facts& inner) const {
    auto const low = arith::bounds(l.begin, known_.variables).low;
    auto const high = arith::bounds(l.end, known_.variables).high;
    inner.variables[l.variable] = {low, high >= arith::unbounded.high ? high : std::max(low, high - 1)};
    if (!ir::is_constant(l.end)) declare_below(l.variable, l.end, inner);
  }

  static void declare_below(std::string const& variable, ir::expr const& end, known_facts& inner) {
    if (auto const* b = ir::as<ir::binary>(end); b && b->op == ir::binary_op::minimum) {
      declare_below(variable, b->left, inner);
      declare_below(variable, b->right, inner);
    } else if (auto form = arith::to_affine(end - ir::make_variable(variable) - ir::make_index(1))) {
      inner.forms.push_back(std::move(*form));
    }
  }

  ir::stmt parts(ir::stmt const& s, known_facts const& inner) {
    return ir::map_parts(
        s, [&](ir::stmt const& part) { return within(inner, part); },
        [&](ir::expr const& e) { return marked(e, known_); });
  }

  ir::stmt conditional(ir::stmt const& s, ir::conditional const& n) {
    auto const condition = marked(n.condition, known_);
    auto const then = within(known_.where(n.condition), n.then);
    auto const otherwise = visit(n.otherwise);
    if (condition == n.condition && then == n.then && otherwise == n.otherwise) return s;
    return ir::make_conditional_like(n, condition, then, otherwise);
  }

  ir::stmt within(known_facts inner, ir::stmt const& part) {
    std::swap(known_, inner);
    auto made = visit(part);
    std::swap(known_, inner);
    return made;
  }

  static ir::expr marked(ir::expr const& e, known_facts const& known) {
    auto const* s = ir::as<ir::select>(e);
    if (!s) return ir::map_operands(e, [&](ir::expr const& o) { return marked(o, known); });
    auto const inside = known.where(s->condition);
    bool const harmless = inside.allow(s->when_true) && known.allow(s->when_false);
    auto const condition = marked(s->condition, known);
    auto const when_true = marked(s->when_true, inside);
    auto const when_false = marked(s->when_false, known);
    bool const same = condition == s->condition && when_true == s->when_true && when_false == s->when_false;
    auto const made = same ? e : ir::make_select(condition, when_true, when_false);
    return harmless ? ir::make_speculatable(made) : made;
  }

  known_facts known_;
};

}  // namespace detail

ir::stmt speculate_selects(ir::stmt const& s) { return detail::select_marker().visit(s); }

}}}  // namespace ttune::v0::lowering
