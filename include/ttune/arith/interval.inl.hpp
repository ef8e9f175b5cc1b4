// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/arith/bounds_of_data.hpp"
#include "ttune/arith/interval.hpp"

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

/// Returns the bounds of an expression that is no sum.
inline interval atom_bounds(ir::expr const& e, ranges const& known) {
  if (auto const* v = ir::as<ir::variable>(e)) {
    auto const it = known.find(v->name);
    return it == known.end() ? unbounded : it->second;
  }
  if (auto const* b = ir::as<ir::binary>(e)) return binary_bounds(*b, known);
  if (auto const* s = ir::as<ir::select>(e)) return hull_of(bounds(s->when_true, known), bounds(s->when_false, known));
  if (auto const* c = ir::as<ir::cast>(e))
    return c->operand->type == dtype::index ? bounds(c->operand, known) : bounds_of_data(c->operand);
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

}}}  // namespace ttune::v0::arith
