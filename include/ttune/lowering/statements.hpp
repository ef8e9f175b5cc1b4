// SPDX-License-Identifier: Apache-2.0
// From a nest to the statement tree: only for candidates that get compiled.
#pragma once

#include "ttune/loop_nest/loop_nest.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune::inline v0 {

/// The statements of a replayed plan, straight from the nest: loops with their conditions, no pass run yet
/// (lowering/passes.hpp runs them).
[[nodiscard]] ir::lowered lower(plan const& p, nest const& n);

}  // namespace ttune::inline v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/statements.inl.hpp"
#endif
