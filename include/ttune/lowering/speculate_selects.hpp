// SPDX-License-Identifier: Apache-2.0
// Marks selects whose arms may both be evaluated, so that a vector evaluates both and chooses lane by lane.
//
//   x[i] > 0 ? a[i] : 0     →     the same, speculatable: a[i] lies inside of a in every iteration
//
// A select guards what its arms read: an element may lie outside of its buffer where the condition does not hold. An
// arm is harmless if the ranges of the loops, and comparisons of indices that enclose it, prove that it reads inside of
// its buffers, and if it divides no integers by data. Comparisons of indices in the select's own condition count for
// the first arm: whoever evaluates both arms must still respect them.
#pragma once

#include "ttune/arith/interval.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Costs the square of the depth of nested selects.
[[nodiscard]] ir::stmt speculate_selects(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/speculate_selects.inl.hpp"
#endif
