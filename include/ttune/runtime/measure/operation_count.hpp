// SPDX-License-Identifier: Apache-2.0
// An analytic cost of a lowered program: the number of operations that run one after the other.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 {

/// Counts the operations of one call, without `prepare`: loads, stores and arithmetic on values, but no index
/// arithmetic; plus one for each iteration of a serial loop. A vectorised loop counts once per vector register of
/// `machine`, a parallel loop (blocks and threads, too) as the longest share of one of `machine.cores`. The more
/// expensive arm of a condition counts; a loop with varying bounds counts half of its range. The result does not depend
/// on the host. Costs about 0.1 us per node.
[[nodiscard]] double operation_count(ir::lowered const& program, target const& machine);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/operation_count.inl.hpp"
#endif
