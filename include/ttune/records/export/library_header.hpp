// SPDX-License-Identifier: Apache-2.0
// The header of an exported library.
#pragma once

#include <string>
#include <vector>

#include "ttune/records/export/exported_kernel.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the header of an exported library: functions with a plain C interface, and overloads with spans for C++20.
[[nodiscard]] std::string library_header(std::string const& library, std::vector<exported_kernel> const& kernels);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/export/library_header.inl.hpp"
#endif
