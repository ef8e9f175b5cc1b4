// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/ir/operands.hpp"
#include "ttune/pass/affine.hpp"
#include "ttune/pass/simplify.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0::pass {

namespace detail {

/// `e` itself if `made` says the same in the same words.
inline bool same_words(ir::expr const& a, ir::expr const& b) {
  if (a == b) return true;
  if (a->type != b->type || a->what.index() != b->what.index()) return false;
  if (auto const* x = ir::as<ir::constant>(a)) return x->integer == ir::as<ir::constant>(b)->integer;
  if (auto const* x = ir::as<ir::variable>(a)) return x->name == ir::as<ir::variable>(b)->name;
  auto const* x = ir::as<ir::binary>(a);
  auto const* y = ir::as<ir::binary>(b);
  return x && x->op == y->op && same_words(x->left, y->left) && same_words(x->right, y->right);
}
inline ir::expr keep(ir::expr const& e, ir::expr made) { return same_words(e, made) ? e : made; }

/// (whole * by + rest) divided by `by`.
inline ir::expr simplify_quotient(ir::expr const& e, ir::binary const& b, ranges const& known) {
  auto const form = to_affine(b.left);
  if (!form || !ir::is_constant(b.right) || ir::constant_integer(b.right) < 1) return e;
  auto const by = ir::constant_integer(b.right);
  affine whole;
  affine rest;
  for (auto const& [name, c] : form->terms) {
    if (c % by == 0) whole.add(name, c / by);
    else rest.add(name, c);
  }
  whole.constant = floor_divide(form->constant, by);
  rest.constant = form->constant - whole.constant * by;
  auto const range = affine_bounds(rest, known);
  bool const one_quotient = is_bounded(range) && floor_divide(range.low, by) == floor_divide(range.high, by);
  auto const q = one_quotient ? floor_divide(range.low, by) : 0;
  if (b.op == ir::binary_op::floor_modulo) {
    if (!one_quotient) return keep(e, ir::make_binary(b.op, from_affine(rest), b.right));
    rest.constant -= q * by;
    return from_affine(rest);
  }
  if (!one_quotient) return keep(e, from_affine(whole) + ir::make_binary(b.op, from_affine(rest), b.right));
  whole.constant += q;
  return from_affine(whole);
}

inline ir::expr simplify_comparison(ir::expr const& e, ir::binary const& b, ranges const& known) {
  auto const difference = bounds(b.right - b.left, known);  // left < right means it is positive
  if (!is_bounded(difference)) return e;
  switch (b.op) {
    case ir::binary_op::less:
      if (difference.low > 0) return ir::make_bool(true);
      if (difference.high <= 0) return ir::make_bool(false);
      return e;
    case ir::binary_op::less_equal:
      if (difference.low >= 0) return ir::make_bool(true);
      if (difference.high < 0) return ir::make_bool(false);
      return e;
    case ir::binary_op::equal:
    case ir::binary_op::not_equal:
      if (difference.low > 0 || difference.high < 0) return ir::make_bool(b.op == ir::binary_op::not_equal);
      if (difference == interval{0, 0}) return ir::make_bool(b.op == ir::binary_op::equal);
      return e;
    case ir::binary_op::minimum:
      if (difference.low >= 0) return b.left;
      return difference.high <= 0 ? b.right : e;
    case ir::binary_op::maximum:
      if (difference.low >= 0) return b.right;
      return difference.high <= 0 ? b.left : e;
    default: return e;
  }
}

}  // namespace detail

TTUNE_INLINE ir::expr simplify(ir::expr const& e, ranges const& known) {
  auto const inner = ir::map_operands(e, [&](ir::expr const& o) { return simplify(o, known); });
  if (inner->type == dtype::index)
    if (auto const form = to_affine(inner)) return detail::keep(inner, from_affine(*form));
  auto const* b = ir::as<ir::binary>(inner);
  if (!b || b->left->type != dtype::index) return inner;
  if (b->op == ir::binary_op::floor_divide || b->op == ir::binary_op::floor_modulo) return detail::simplify_quotient(inner, *b, known);
  return detail::simplify_comparison(inner, *b, known);
}

}  // namespace ttune::inline v0::pass
