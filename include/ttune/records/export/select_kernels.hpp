// SPDX-License-Identifier: Apache-2.0
// Chooses what is exported: which images of the records, under which names in C, in which order they are tried.
#pragma once

#include <string>
#include <vector>

#include "ttune/records/export/exported_kernel.hpp"
#include "ttune/records/export/options.hpp"
#include "ttune/records/store.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct export_selection {
  std::vector<exported_kernel> kernels;  ///< by name
  std::vector<std::string> left_out;     ///< sentences: which images stay behind, and why
};

/// Chooses the kernels of an export. Throws record_error or argument_error if there are none, or not those asked for.
[[nodiscard]] export_selection select_kernels(record_store const& from, export_options const& options);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/export/select_kernels.inl.hpp"
#endif
