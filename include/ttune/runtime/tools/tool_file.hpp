// SPDX-License-Identifier: Apache-2.0
// Files that tools read: how they are created and written.
#pragma once

#include <string>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// Creates an empty file in place of what has its name, for this user only; never follows a link. Returns its
/// descriptor. Throws backend_error with the reason.
[[nodiscard]] int create_file(std::string const& path);

/// Writes bytes at the end of a file. Throws backend_error with the reason.
void write_file(int file, std::string const& path, std::string_view bytes);

/// Throws backend_error: the file cannot be written, and why.
[[noreturn]] void fail_to_write(std::string const& path, int reason);

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/tool_file.inl.hpp"
#endif
