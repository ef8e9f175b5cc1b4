// SPDX-License-Identifier: Apache-2.0
// Makes kernels of a program with open extents, and chooses among them: <ttune/shape_kernel.hpp> without types.
#pragma once

#include <span>
#include <vector>

#include "ttune/open/shape_options.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/open_range.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Kernels, and the choice among them.
struct tuned_shapes {
  open_range range;
  std::vector<kernel_call> kernels;
  std::vector<tuning_report> reports;
  shape_tree tree;
};

/// The function of <ttune/shape_kernel.hpp>.
[[nodiscard]] tuned_shapes tune_shapes(tuner& by, handle<ir::program> const& program, shape_options const& how,
                                       tuning_budget const& budget);

/// Throws argument_error for the first extent of a call that is outside of its range.
[[noreturn]] void refuse_extents(open_range const& of, std::span<std::int64_t const> values);
}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/open/tune_shapes.inl.hpp"
#endif
