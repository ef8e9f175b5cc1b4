// SPDX-License-Identifier: Apache-2.0
// Tells the tools of this process about a loaded kernel.
#pragma once

#include <cstdint>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/tools/asked_tools.hpp"

namespace ttune { inline namespace v0 { namespace tools {

class gdb_entry;

/// Tells these tools that the code of an image is at an address. Returns an entry that is given to `withdraw` before
/// the code is gone; null if gdb was not asked for. The first call creates the files. Throws backend_error if a file
/// cannot be written. Takes 5 to 11 us for kernels of less than 8 KB without a debugger.
[[nodiscard]] gdb_entry const* announce(asked_tools const& to, kernel_image const& image, std::uintptr_t code);

/// Removes an entry from gdb's list. Null is allowed.
void withdraw(gdb_entry const* entry) noexcept;

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/announce.inl.hpp"
#endif
