// SPDX-License-Identifier: Apache-2.0
// Makes sums keep the order of their terms under every schedule.
#pragma once

#include "ttune/capture/ordered_rows.hpp"
#include "ttune/expr/builder.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// The function declared in expr/builder.hpp. Declares reductions whose result depends on the order of their terms
/// (sums and products of floating-point numbers, tuples) neither associative nor commutative: schedules that reorder
/// them are refused, and none is derived. Sums along long rows become sums of lanes (ordered_rows.hpp).
[[nodiscard]] handle<ir::program> in_order(handle<ir::program> const& p);
/// The same with other parts of long rows than those of kernels: tests have short ones.
[[nodiscard]] handle<ir::program> in_order(handle<ir::program> const& p, parts_of_rows const& parts);

}}}  // namespace ttune::v0::capture

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/in_order.inl.hpp"
#endif
