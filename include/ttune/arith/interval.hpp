// SPDX-License-Identifier: Apache-2.0
// Intervals of index expressions under known ranges of their variables.
#pragma once

#include "ttune/arith/affine.hpp"
#include "ttune/arith/interval_arithmetic.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// Returns an interval that contains all values of the expression. It is exact for affine expressions of independent
/// variables; a gathered index has the range that its operand declares.
[[nodiscard]] interval bounds(ir::expr const& e, ranges const& known);
[[nodiscard]] interval bounds(affine const& form, ranges const& known);
[[nodiscard]] interval bounds(linear_form const& form, ranges const& known);

/// Returns the ranges of a stage's axes. An empty axis has an empty range (high < low).
[[nodiscard]] ranges ranges_of(ir::stage const& s);
/// Returns the ranges of the variables of extents that calls give; none if all are constant.
[[nodiscard]] ranges ranges_of_extents(ir::program const& p);

}}}  // namespace ttune::v0::arith

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/arith/interval.inl.hpp"
#endif
