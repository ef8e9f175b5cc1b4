// SPDX-License-Identifier: Apache-2.0
// Times kernels with open extents at shapes of calls.
#pragma once

#include <span>
#include <vector>

#include "ttune/open/shape_choice.hpp"
#include "ttune/runtime/kernel_call.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the seconds of each kernel for each shape, in this process, with operands without gaps; infinity where a
/// kernel's largest extents are smaller, and where its first call already took much longer than the best kernel.
/// Kernels must have run in a worker before. Costs some calls, at least some hundred microseconds, for each pair.
[[nodiscard]] std::vector<shape_candidate> time_shapes(std::vector<kernel_call> const& kernels,
                                                       std::vector<call_shape> const& largest,
                                                       std::vector<shape_use> const& uses);

/// Returns the strides, in elements, of the operands of a signature that have strides of their own: without gaps.
[[nodiscard]] std::vector<std::int64_t> strides_without_gaps(kernel_signature const& signature);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/open/time_shapes.inl.hpp"
#endif
