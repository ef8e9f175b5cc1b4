// SPDX-License-Identifier: Apache-2.0
// File permission checks: machine code from a file may run only if nobody else could have written the file.
#pragma once

#include <string>

#include "ttune/runtime/availability.hpp"

namespace ttune { inline namespace v0 {

/// Refuses a path of another user (neither this process's nor root), and one with a write permission for the group or
/// for others.
[[nodiscard]] availability not_writable_by_others(std::string const& path);

/// Refuses a file that another user owns or that has a write permission for the group or for others, or in such a
/// folder (even with the sticky bit: others could create a journal beside the file). The reason names the fix. Links
/// are followed. Costs two or three `stat` calls.
[[nodiscard]] availability written_by_owner_only(std::string const& path);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/file_permissions.inl.hpp"
#endif
