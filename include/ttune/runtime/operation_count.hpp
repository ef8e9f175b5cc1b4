// SPDX-License-Identifier: Apache-2.0
// What a lowered program costs without a clock: operations that stand one after the other.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0 {

/// Operations of one call, `prepare` apart: loads, stores and arithmetic on values, but none on indices; one more for
/// each iteration of a serial loop. A vectorised loop counts once for all lanes of a register of `machine`, a parallel
/// one (blocks and threads, too) as its longest share of `machine.cores`. The dearer arm of a condition is taken; a
/// loop whose bounds vary goes halfway. Nothing of it depends on the machine that counts. About 0.1 us a node.
[[nodiscard]] double operation_count(ir::lowered const& program, target const& machine);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/operation_count.inl.hpp"
#endif
