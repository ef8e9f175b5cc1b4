// SPDX-License-Identifier: Apache-2.0
// Whether machine code from a file may be run: only if nobody else could have written it.
#pragma once

#include <string>

#include "ttune/runtime/availability.hpp"

namespace ttune::inline v0 {

/// Refuses a path that has a group or other write bit.
[[nodiscard]] availability not_writable_by_others(std::string const& path);

/// Refuses a file that has a group or other write bit, or whose folder has (also with the sticky bit: others could put
/// a journal beside the file), with a reason that names the fix. A link is followed. Costs two or three `stat` calls.
[[nodiscard]] availability written_by_owner_only(std::string const& path);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/records/trust.inl.hpp"
#endif
