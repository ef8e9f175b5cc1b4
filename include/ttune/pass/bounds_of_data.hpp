// SPDX-License-Identifier: Apache-2.0
// Intervals of integer data: what an index that data give can be, and which narrower type holds a value.
//
//   i32(a) + i32(b), a and b of u8     →     [0, 510]
//   min(max(e, 0), 1023)               →     [0, 1023], whatever e is
//
// An operand has its declared range, otherwise the range of its type. Where arithmetic may wrap, the interval is the
// range of the type.
#pragma once

#include "ttune/ir/node.hpp"
#include "ttune/pass/interval_arithmetic.hpp"

namespace ttune::inline v0::pass {

/// Returns an interval that contains all values of an expression of integer data. It is unbounded for a 64-bit type,
/// unless more is known.
[[nodiscard]] interval bounds_of_data(ir::expr const& e);

}  // namespace ttune::inline v0::pass

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/pass/bounds_of_data.inl.hpp"
#endif
