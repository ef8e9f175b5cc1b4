// SPDX-License-Identifier: Apache-2.0
// Expressions of f64 that bounds of rounding errors are made of. An empty expression is an error that is certainly
// zero.
#pragma once

#include <variant>

#include "ttune/ir/make.hpp"
#include "ttune/ir/rounding_unit.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail { namespace bounding {

inline expr real_number(double v) { return make_real(dtype::f64, v); }
inline expr wide(expr const& e) { return make_cast(dtype::f64, e); }
inline expr magnitude(expr const& e) { return make_unary(unary_op::abs, e); }
inline expr root(expr const& e) { return make_unary(unary_op::sqrt, e); }
inline expr quotient(expr const& a, expr const& b) { return make_binary(binary_op::divide, a, b); }
inline expr is_less(expr const& a, expr const& b) { return make_binary(binary_op::less, a, b); }
inline expr both(expr const& a, expr const& b) { return make_binary(binary_op::logical_and, a, b); }
inline expr smaller_of(expr const& a, expr const& b) { return make_binary(binary_op::minimum, a, b); }
inline expr larger_of(expr const& a, expr const& b) { return !a ? b : !b ? a : make_binary(binary_op::maximum, a, b); }
inline expr total(expr const& a, expr const& b) { return !a ? b : !b ? a : a + b; }
inline expr or_zero(expr const& e) { return e ? e : real_number(0); }
inline expr where(expr const& condition, expr const& yes, expr const& no) {
  return make_select(condition, or_zero(yes), or_zero(no));
}
inline expr without_bound() { return real_number(unbounded_error); }
/// Makes an infinity or a NaN `unbounded`: a maximum would ignore a NaN.
inline expr capped(expr const& error) { return smaller_of(without_bound(), error); }
/// True for NaN, too: an error that is not known is not zero.
inline expr is_positive(expr const& error) {
  return make_unary(unary_op::logical_not, make_binary(binary_op::less_equal, error, real_number(0)));
}
inline expr if_positive(expr const& error, expr const& yes) { return where(is_positive(error), yes, {}); }
/// Returns how far a value may lie from the interpreter's, given its bound.
inline expr reach(expr const& error) { return or_zero(error) * real_number(2); }

/// Bounds the change of a monotone function, as `f`, by a change of its argument.
template <class Function>
expr change_of(expr const& x, expr const& error, Function const& f) {
  auto const here = f(x);
  return larger_of(f(x + reach(error)) - here, here - f(x - reach(error)));
}

/// True if an expression, rounded or not, has no negative values.
inline bool is_nonnegative(expr const& e, int depth = 8) {
  if (!is_float(e->type)) return is_unsigned(e->type) || e->type == dtype::boolean;
  if (depth == 0) return false;
  auto const also = [&](expr const& o) { return is_nonnegative(o, depth - 1); };
  if (auto const* c = as<constant>(e)) return c->real >= 0;
  if (auto const* c = as<cast>(e)) return also(c->operand);
  if (auto const* s = as<select>(e)) return also(s->when_true) && also(s->when_false);
  if (auto const* u = as<unary>(e)) return u->op == unary_op::abs || u->op == unary_op::exp || u->op == unary_op::sqrt;
  if (auto const* b = as<binary>(e)) {
    if (b->op == binary_op::maximum) return also(b->left) || also(b->right);
    if (b->op == binary_op::multiply && b->left == b->right) return true;
    if (b->op == binary_op::power) return also(b->left);
    bool const keeps = b->op == binary_op::add || b->op == binary_op::multiply || b->op == binary_op::divide ||
                       b->op == binary_op::minimum;
    return keeps && also(b->left) && also(b->right);
  }
  auto const* a = as<access>(e);
  auto const* s = a ? std::get_if<handle<stage>>(&a->from) : nullptr;
  if (!s || (*s)->reduction.kind == reduction_kind::tuple || (*s)->reduction.kind == reduction_kind::maximum ||
      (*s)->updates)
    return false;
  return (!a->fill || also(a->fill)) && also((*s)->components[0].value);
}

/// True if two expressions are certainly the same.
inline bool is_same(expr const& x, expr const& y) {
  auto const* a = as<argument>(x);
  auto const* b = as<argument>(y);
  return x == y || (a && b && a->right == b->right && a->component == b->component);
}

}}}}}  // namespace ttune::v0::ir::detail::bounding
