// SPDX-License-Identifier: Apache-2.0
// Takes signs out of odd and even functions, so that equal functions of opposite arguments are computed once.
//
//   erf(-x * c)     →     -erf(x * c)           (also sin and tanh)
//   cos(x * -2)     →     cos(x * 2)            (also abs)
//
// All values stay the same: rounding to nearest is symmetric, and kernels compute these functions from the magnitude.
// Only floats are rewritten.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Runs the pass on all expressions.
[[nodiscard]] ir::stmt symmetric_functions(ir::stmt const& s);
[[nodiscard]] ir::expr symmetric_functions(ir::expr const& e);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/symmetric_functions.inl.hpp"
#endif
