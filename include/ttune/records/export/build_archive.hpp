// SPDX-License-Identifier: Apache-2.0
// Compiles the files of an exported library to an archive.
#pragma once

#include <string>
#include <vector>

#include "ttune/records/export/options.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Runs a program, without a shell, in a folder. Returns an empty text if it succeeds, otherwise what it said. Throws
/// backend_error if it cannot be started.
[[nodiscard]] std::string run_program(std::vector<std::string> const& command, std::string const& folder);

/// Compiles NAME.c and NAME_code.S of a folder to libNAME.a there. Returns why a program for it is missing, otherwise
/// an empty text. Throws backend_error with the message of a program that fails.
[[nodiscard]] std::string build_archive(std::string const& folder, export_options const& options);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/export/build_archive.inl.hpp"
#endif
