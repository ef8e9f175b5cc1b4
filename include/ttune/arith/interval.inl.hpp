// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "ttune/arith/bounds_of_data.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/open_extents.hpp"

namespace ttune { inline namespace v0 { namespace arith {

namespace detail {

inline interval binary_bounds(ir::binary const& b, ranges const& known) {
  auto const x = bounds(b.left, known);
  auto const y = bounds(b.right, known);
  bool const by_constant = y.low == y.high && y.low > 0;
  switch (b.op) {
    case ir::binary_op::minimum: return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case ir::binary_op::maximum: return {std::max(x.low, y.low), std::max(x.high, y.high)};
    case ir::binary_op::multiply: return product_of(x, y);
    case ir::binary_op::floor_divide: return by_constant ? quotient_of(x, y.low) : unbounded;
    case ir::binary_op::floor_modulo: return by_constant ? remainder_of(x, y.low) : unbounded;
    default: return unbounded;
  }
}

[[nodiscard]] inline interval atom_bounds(ir::expr const& e, ranges const& known);

/// An atom, and what a condition says of its value.
struct limited_atom {
  ir::expr atom;
  interval when_true;
  interval when_false;
};

/// Returns the atom that a condition compares with a constant, as in `i < 5`; nothing for other conditions.
[[nodiscard]] inline std::optional<limited_atom> limited_by(ir::expr const& condition, ranges const& known) {
  auto const* const b = ir::as<ir::binary>(condition);
  bool const compares = b && (b->op == ir::binary_op::less || b->op == ir::binary_op::less_equal);
  if (!compares || b->left->type != dtype::index) return std::nullopt;
  auto difference = to_linear(b->left);
  difference.add(to_linear(b->right), -1);
  if (difference.terms.size() != 1) return std::nullopt;
  auto const& [atom, coefficient] = difference.terms.front();
  auto const last = -difference.constant - (b->op == ir::binary_op::less ? 1 : 0);  // coefficient * atom <= last
  auto const all = atom_bounds(atom, known);
  if (coefficient == 1)
    return limited_atom{atom, {all.low, std::min(all.high, last)}, {std::max(all.low, last + 1), all.high}};
  if (coefficient == -1)
    return limited_atom{atom, {std::max(all.low, -last), all.high}, {all.low, std::min(all.high, -last - 1)}};
  return std::nullopt;
}

/// Returns the bounds of an expression while an atom lies in a range.
[[nodiscard]] inline interval bounds_within(ir::expr const& e, ir::expr const& atom, interval const& range,
                                            ranges const& known) {
  auto const form = to_linear(e);
  interval sum{form.constant, form.constant};
  for (auto const& [other, c] : form.terms)
    sum = sum_of(sum, product_of(ir::equal(other, atom) ? range : atom_bounds(other, known), {c, c}));
  return sum;
}

/// Returns the bounds of both arms, each for the values that choose it.
[[nodiscard]] inline interval select_bounds(ir::select const& s, ranges const& known) {
  auto const limited = limited_by(s.condition, known);
  if (!limited) return hull_of(bounds(s.when_true, known), bounds(s.when_false, known));
  auto const of_arm = [&](ir::expr const& arm, interval const& range) {
    return bounds_within(arm, limited->atom, range, known);
  };
  if (limited->when_true.high < limited->when_true.low) return of_arm(s.when_false, limited->when_false);
  if (limited->when_false.high < limited->when_false.low) return of_arm(s.when_true, limited->when_true);
  return hull_of(of_arm(s.when_true, limited->when_true), of_arm(s.when_false, limited->when_false));
}

/// Returns the bounds of an expression that is no sum.
inline interval atom_bounds(ir::expr const& e, ranges const& known) {
  if (auto const* v = ir::as<ir::variable>(e)) {
    auto const it = known.find(v->name);
    return it == known.end() ? unbounded : it->second;
  }
  if (auto const* b = ir::as<ir::binary>(e)) return binary_bounds(*b, known);
  if (auto const* s = ir::as<ir::select>(e)) return select_bounds(*s, known);
  if (auto const* c = ir::as<ir::cast>(e))
    return c->operand->type == dtype::index ? bounds(c->operand, known) : bounds_of_data(c->operand, known);
  return unbounded;
}

}  // namespace detail

interval bounds(linear_form const& form, ranges const& known) {
  interval sum{form.constant, form.constant};
  for (auto const& [atom, c] : form.terms)
    sum = detail::sum_of(sum, detail::product_of(detail::atom_bounds(atom, known), {c, c}));
  return sum;
}

interval bounds(affine const& form, ranges const& known) {
  interval sum{form.constant, form.constant};
  for (auto const& [name, c] : form.terms) {
    auto const it = known.find(name);
    if (it == known.end()) return unbounded;
    sum = detail::sum_of(sum, detail::product_of(it->second, {c, c}));
  }
  return sum;
}

interval bounds(ir::expr const& e, ranges const& known) { return bounds(to_linear(e), known); }

ranges ranges_of(ir::stage const& s) {
  ranges known;
  for (auto const* axes : {&s.axes, &s.reduction.axes})
    for (auto const& a : *axes) known[a.name] = {a.begin, a.end.value - 1};
  return known;
}

ranges ranges_of_extents(ir::program const& p) {
  ranges made;
  for (auto const& symbol : ir::open_extents(p)) made[ir::variable_of(*symbol)] = {symbol->low, symbol->high};
  return made;
}

}}}  // namespace ttune::v0::arith
