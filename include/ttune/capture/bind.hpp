// SPDX-License-Identifier: Apache-2.0
// Run-time extents of a program become constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/expr/builder.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::capture {

/// The same as in expr/builder.hpp. Throws program_error if a dim is not in the program, its value not within the dim's
/// range, or a read would then lie outside of its source.
[[nodiscard]] handle<ir::program> bind(handle<ir::program> const& p, std::vector<bound_dim> const& values);
[[nodiscard]] std::vector<std::string> open_dims(ir::program const& p);

}  // namespace ttune::inline v0::capture

#if TTUNE_HEADER_ONLY
#include "ttune/capture/bind.inl.hpp"
#endif
