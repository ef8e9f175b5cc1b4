// SPDX-License-Identifier: Apache-2.0
// Computes integer arithmetic whose result is converted to a narrower type in the narrowest type that is exact. A
// vector then has twice or four times as many lanes.
//
//   u8(min((i32(a) + i32(b) + 1) / 2, 255))     →     u8(min((u16(a) + u16(b) + 1) / 2, 255))
//
// Sums, differences and products need only the right low bits, so their operands may wrap. Operands of divisions,
// comparisons and right shifts must fit, which intervals prove (bounds_of_data.hpp). A signed division of a value that
// cannot be negative becomes unsigned, which is a shift if the divisor is a power of two.
//
// Other values do not change: floats, indices, reductions in wide types. The result is the same in every case, also
// where arithmetic of the original type wraps: an interval that does not fit the type is replaced by the type's range.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Runs the pass on all data expressions; costs the square of an expression's depth.
[[nodiscard]] ir::stmt narrow_integers(ir::stmt const& s);
[[nodiscard]] ir::expr narrow_integers(ir::expr const& e);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/narrow_integers.inl.hpp"
#endif
