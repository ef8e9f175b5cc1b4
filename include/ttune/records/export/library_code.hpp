// SPDX-License-Identifier: Apache-2.0
// The machine code of an exported library, as assembler.
#pragma once

#include <string>
#include <vector>

#include "ttune/records/export/exported_kernel.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the machine code of an exported library, for an assembler with the preprocessor of C, which leaves out the
/// code of other processors.
[[nodiscard]] std::string library_code(std::string const& library, std::vector<exported_kernel> const& kernels);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/export/library_code.inl.hpp"
#endif
