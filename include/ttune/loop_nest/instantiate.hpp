// SPDX-License-Identifier: Apache-2.0
// Instantiates a plan with a configuration: computes all numbers of its loops, with the bounds of computed regions, in
// well under a microsecond and without a heap allocation. It is on the hot path of the search.
#pragma once

#include "ttune/loop_nest/loop_nest.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 {

/// Fills `out`. The configuration must be valid for the knobs of the plan.
void instantiate(plan const& p, configuration const& chosen, loop_nest& out);

/// Returns how far axis `axis` of stage `st` moves while all loops inside of place (of, depth) run: its largest minus
/// its smallest value there.
[[nodiscard]] std::int64_t axis_span(plan const& p, loop_nest const& n, std::size_t st, std::size_t axis,
                                     std::size_t of, std::int32_t depth);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/loop_nest/instantiate.inl.hpp"
#endif
