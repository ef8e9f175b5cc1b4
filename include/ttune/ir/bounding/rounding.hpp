// SPDX-License-Identifier: Apache-2.0
// Bounds of one rounding: of a result to its type, and of what a function of a library rounds.
#pragma once

#include "ttune/core/dtype.hpp"
#include "ttune/ir/bounding/error_expressions.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/rounding_unit.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail { namespace bounding {

/// Returns the type in which operations of a type are made.
inline dtype computed_in(dtype t) { return t == dtype::f16 || t == dtype::bf16 ? dtype::f32 : t; }

/// Returns half the smallest positive value: the error of a result that underflows.
inline double underflow_error(dtype t) {
  return t == dtype::f64 ? 0x1p-1074 : t == dtype::f16 ? 0x1p-25 : t == dtype::bf16 ? 0x1p-134 : 0x1p-150;
}

/// Sums of multiples of this are exact as long as they are small.
inline double grid_of(dtype t) { return t == dtype::f16 || t == dtype::bf16 ? 0.25 : 0x1p-10; }
inline double largest_on_grid(dtype t) { return grid_of(t) / 2 / rounding_unit(t); }
inline expr off_grid(expr const& e, dtype t) {
  auto const steps = e * real_number(1 / grid_of(t));
  return magnitude(steps - make_unary(unary_op::round, steps));
}
/// True if a value has all its bits: it lies so far off the grid, and is so large.
inline expr is_exact(expr const& off, expr const& size, dtype t) {
  return both(make_binary(binary_op::less_equal, off, real_number(0)), is_less(size, real_number(largest_on_grid(t))));
}

/// Bounds a rounding to a type by so many units; `unbounded` if the value may overflow.
inline expr some_units(expr const& value, expr const& before, dtype to, double units) {
  auto const most = wide(make_cast(to, magnitude(value) + reach(before)));
  return capped(most * real_number(units * rounding_unit(to)) + real_number(underflow_error(to)));
}

/// Bounds the rounding of `e` to a float type. `before` is the error of `e`; without any, all kernels round alike, or
/// do not round (a contracted product).
inline expr error_of_rounding(expr const& e, dtype to, expr const& before) {
  auto const x = wide(e);
  auto const any = some_units(x, before, to, 1);
  auto const alone = to == dtype::f64 ? where(is_exact(off_grid(x, to), magnitude(x), to), {}, any)
                                      : capped(magnitude(x - wide(make_cast(to, x))));
  return before ? where(is_positive(before), any, alone) : alone;
}

/// Returns the largest error of a function in units (half a unit in the last place each): about twice what the
/// functions of CPUs have (backends/README.md), and what devices promise.
inline double units_of(unary_op op) {
  switch (op) {
    case unary_op::sqrt: return 2;
    case unary_op::exp:
    case unary_op::log: return 4;
    case unary_op::sin:
    case unary_op::cos: return 8;
    default: return 12;  // tanh, erf
  }
}

}}}}}  // namespace ttune::v0::ir::detail::bounding
