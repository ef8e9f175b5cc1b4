// SPDX-License-Identifier: Apache-2.0
// The C source of an exported library.
#pragma once

#include <string>
#include <vector>

#include "ttune/records/export/exported_kernel.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the C source of an exported library: it asks the processor, chooses a variant, checks pointers and calls the
/// machine code.
[[nodiscard]] std::string library_source(std::string const& library, std::vector<exported_kernel> const& kernels);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/export/library_source.inl.hpp"
#endif
