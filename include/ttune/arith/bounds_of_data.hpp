// SPDX-License-Identifier: Apache-2.0
// Intervals of integer data: what an index that data give can be, and which narrower type holds a value.
//
//   i32(a) + i32(b), a and b of u8     →     [0, 510]
//   min(max(e, 0), 1023)               →     [0, 1023], whatever e is
//
// An operand has its declared range, otherwise the range of its type. Where arithmetic may wrap, the interval is the
// range of the type.
#pragma once

#include "ttune/arith/interval_arithmetic.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace arith {

[[nodiscard]] constexpr std::size_t bits_of(dtype t) { return 8 * size_in_bytes(t); }
/// Returns true for the integers that elements have: neither an index nor a boolean.
[[nodiscard]] constexpr bool is_data(dtype t) { return is_integer(t) && t != dtype::index && t != dtype::boolean; }

/// Returns an interval that contains all values of an expression of integer data. It is unbounded for a 64-bit type,
/// unless more is known. `known`: the ranges of axes that are converted to data.
[[nodiscard]] interval bounds_of_data(ir::expr const& e, ranges const& known = {});
/// Returns true if no operation of integer data in the expression wraps.
[[nodiscard]] bool is_exact(ir::expr const& e, ranges const& known);

}}}  // namespace ttune::v0::arith

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/arith/bounds_of_data.inl.hpp"
#endif
