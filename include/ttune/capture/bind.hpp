// SPDX-License-Identifier: Apache-2.0
// Replaces run-time extents of a program by constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/expr/builder.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// The function declared in expr/builder.hpp. Throws program_error if a dim is not in the program, if its value is
/// outside of the dim's range, or if a read could then lie outside of its source.
[[nodiscard]] handle<ir::program> bind(handle<ir::program> const& p, std::vector<bound_dim> const& values);
[[nodiscard]] std::vector<std::string> open_dims(ir::program const& p);

/// The values that a run-time extent may have.
struct dim_range {
  std::int64_t low = 1;
  std::int64_t high = 1;
};
/// Returns the range of a dim. Throws program_error if it is not in the program.
[[nodiscard]] dim_range range_of(ir::program const& p, std::string const& dim);
/// Replaces a dim by a value that may be outside of its range: for kernels of a part of the elements.
[[nodiscard]] handle<ir::program> bind_part(handle<ir::program> const& p, std::string const& dim, std::int64_t value);

}}}  // namespace ttune::v0::capture

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/bind.inl.hpp"
#endif
