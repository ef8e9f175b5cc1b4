// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/conditions.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/speculate_selects.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// Shortens the ranges of the variables of a sum that is known to be at least 0.
inline void shorten_ranges(arith::affine const& form, arith::ranges& known) {
  for (auto const& [name, factor] : form.terms) {
    auto const rest = arith::rest_of(form, name, known);
    auto const it = known.find(name);
    if (!rest || it == known.end() || factor == 0) continue;
    // factor * variable >= -rest.high
    if (factor > 0) it->second.low = std::max(it->second.low, -floor_divide(rest->high, factor));
    else it->second.high = std::min(it->second.high, floor_divide(rest->high, -factor));
  }
}

/// Returns the ranges where a condition holds. Parts of it that are no comparisons of affine indices do not count.
inline arith::ranges ranges_where(ir::expr const& condition, arith::ranges known) {
  std::vector<ir::expr> parts;
  arith::conjuncts(condition, parts);
  for (auto const& part : parts)
    if (auto const form = arith::as_non_negative(part)) shorten_ranges(*form, known);
  return known;
}

/// Returns true if evaluating an expression reads inside of all buffers and cannot trap.
inline bool is_harmless(ir::expr const& e, arith::ranges const& known) {
  if (auto const* s = ir::as<ir::select>(e))
    return is_harmless(s->condition, known) && is_harmless(s->when_true, ranges_where(s->condition, known)) &&
           is_harmless(s->when_false, known);
  if (auto const* b = ir::as<ir::binary>(e)) {
    bool const divides = b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo;
    if (divides && !is_float(e->type) && !ir::is_constant(b->right)) return false;
  }
  if (auto const* a = ir::as<ir::access>(e)) {
    auto const* from = std::get_if<handle<ir::buffer>>(&a->from);
    if (!from) return false;
    for (std::size_t d = 0; d < a->indices.size(); ++d)
      if (!arith::is_inside(arith::bounds(a->indices[d], known), 0, (*from)->extents[d])) return false;
  }
  bool harmless = true;
  ir::for_each_operand(e, [&](ir::expr const& o) { harmless = harmless && is_harmless(o, known); });
  return harmless;
}

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
    bool const harmless = is_harmless(s->when_true, inside) && is_harmless(s->when_false, known);
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
