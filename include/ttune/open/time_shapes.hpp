// SPDX-License-Identifier: Apache-2.0
// Times kernels with open extents at shapes of calls.
#pragma once

#include <span>
#include <vector>

#include "ttune/open/shape_choice.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/tune/session/deadline.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the seconds of each kernel for each shape, in this process, with operands without gaps: the least of some
/// calls, or those of one call if it takes much longer than the best kernel before it; infinity where a kernel's
/// largest extents are smaller. The shapes that come first are timed until the deadline, at least some; the others have
/// no seconds. Kernels must have run in a worker before. Costs some calls, at least some hundred microseconds, for each
/// pair.
[[nodiscard]] std::vector<shape_candidate> time_shapes(std::vector<kernel_call> const& kernels,
                                                       std::vector<call_shape> const& largest,
                                                       std::vector<shape_use> const& uses, deadline const& until = {});

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/open/time_shapes.inl.hpp"
#endif
