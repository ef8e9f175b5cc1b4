// SPDX-License-Identifier: Apache-2.0
// Bounds of index expressions over all values of some variables, as expressions of the other variables; and what is
// left of a condition for such a part of the iterations.
//
//   inner: ii in [0, 8)    least(io * 8 + ii)  =  io * 8         greatest(io * 8 + ii)  =  io * 8 + 7
//   may_hold(j <= io * 8 + ii)  =  j <= io * 8 + 7               surely_holds(j <= io * 8 + ii)  =  j <= io * 8
//
// `bounds` (interval.hpp) returns numbers; these are needed for tiles on both sides of a diagonal. The expressions read
// no memory, so they can be evaluated before the part that they describe.
#pragma once

#include "ttune/arith/interval.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// Returns an expression without inner variables that is at most (at least) `e` for all of their values; null if there
/// is none. It is exact for affine expressions.
[[nodiscard]] ir::expr least(ir::expr const& e, ranges const& inner);
[[nodiscard]] ir::expr greatest(ir::expr const& e, ranges const& inner);

/// Returns a condition without inner variables that holds wherever `condition` holds for any of their values. What is
/// not understood, such as data, may hold.
[[nodiscard]] ir::expr may_hold(ir::expr const& condition, ranges const& inner);
/// Returns a condition without inner variables where `condition` holds for all of their values.
[[nodiscard]] ir::expr surely_holds(ir::expr const& condition, ranges const& inner);

}}}  // namespace ttune::v0::arith

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/arith/symbolic_bounds.inl.hpp"
#endif
