// SPDX-License-Identifier: Apache-2.0
// The part of an exported library's C source that deals with extents that calls give.
#pragma once

#include <string>
#include <vector>

#include "ttune/records/export/exported_kernel.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the function `NAME`, which chooses one of several images by the extents of a call.
[[nodiscard]] std::string choice_function(shape_images const& among, std::string const& name);

/// Returns the statements at the begin of a function: they declare `own_extents` and `own_strides`, which kernels read,
/// for extents that are `values` in C. Empty for a kernel of one shape.
[[nodiscard]] std::string setting_of(exported_kernel const& k, std::vector<std::string> const& values);

/// Returns the statement that refuses extents outside of their ranges; `status` is what the function returns then.
[[nodiscard]] std::string range_check(exported_kernel const& k, std::string const& status);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/export/library_shapes.inl.hpp"
#endif
