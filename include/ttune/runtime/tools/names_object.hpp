// SPDX-License-Identifier: Apache-2.0
// An ELF object with the names of functions and nothing else, for kernels whose compiler's object is not known.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/runtime/tools/code_map.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// Returns an object with a symbol for each function of code at an address. The code itself is not in it.
[[nodiscard]] std::vector<std::uint8_t> names_object(std::vector<code_function> const& functions, std::uintptr_t code);

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/names_object.inl.hpp"
#endif
