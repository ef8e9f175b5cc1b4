// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic whose result is converted to a narrower type is done in the narrowest type in which it is exact,
// so that a vector has twice or four times as many lanes.
//
//   u8(min((i32(a) + i32(b) + 1) / 2, 255))     →     u8(min((u16(a) + u16(b) + 1) / 2, 255))
//
// Sums, differences and products need the right bits only, so their operands may wrap; what is divided, compared or
// shortened must fit: that is proved by intervals, of which data give those of their types. A signed division of what
// cannot be negative becomes an unsigned one, which is a shift where a power of two divides.
//
// Values of another meaning are left alone: floats, indices, reductions in wide types. The result is the same in every
// case, also where the arithmetic of the original type wraps (an interval that its type does not hold is that of the
// type).
#pragma once

#include "ttune/ir/stmt.hpp"
#include "ttune/pass/interval.hpp"

namespace ttune::inline v0::pass {

/// Of data; costs the square of an expression's depth.
[[nodiscard]] ir::stmt narrow_integers(ir::stmt const& s);
[[nodiscard]] ir::expr narrow_integers(ir::expr const& e);

/// A superset of the values of an expression of integer data; of a 64-bit type: unbounded, unless more is known.
[[nodiscard]] interval bounds_of_data(ir::expr const& e);

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/narrow_integers.inl.hpp"
#endif
