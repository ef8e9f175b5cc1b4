// SPDX-License-Identifier: Apache-2.0
// Sums that keep the order of their terms, whatever the schedule.
#pragma once

#include "ttune/expr/builder.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::capture {

/// The same as in expr/builder.hpp. Reductions whose result depends on the order of their terms (sums and products of
/// floating-point numbers, tuples) are declared neither associative nor commutative: schedules that reorder them are
/// refused, and none is derived.
[[nodiscard]] handle<ir::program> in_order(handle<ir::program> const& p);

}  // namespace ttune::inline v0::capture

#if TTUNE_HEADER_ONLY
#include "ttune/capture/in_order.inl.hpp"
#endif
