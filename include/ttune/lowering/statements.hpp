// SPDX-License-Identifier: Apache-2.0
// Builds the statements of a loop nest. Only candidates that will be compiled need them.
#pragma once

#include "ttune/loop_nest/loop_nest.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Builds the statements of a loop nest: loops with their conditions. No pass has run yet (passes.hpp runs them).
[[nodiscard]] ir::lowered build_statements(plan const& p, loop_nest const& n);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/statements.inl.hpp"
#endif
