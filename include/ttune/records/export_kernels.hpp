// SPDX-License-Identifier: Apache-2.0
// Ahead-of-time export: the kernels of a record store as a C library that needs neither ttune nor a compiler library.
#pragma once

#include <string>
#include <vector>

#include "ttune/records/export/options.hpp"
#include "ttune/records/store.hpp"

namespace ttune { inline namespace v0 {

/// A function of an exported library.
struct exported_function {
  std::string name;                  ///< in C
  std::string title;                 ///< as "matmul(A 512x256, B 256x1024)"
  std::vector<std::string> targets;  ///< by architecture, in the order in which they are tried
};

/// The result of `export_kernels`.
struct export_report {
  std::vector<exported_function> functions;
  std::vector<std::string> files;     ///< paths: header, C source, machine code, and the archive if it was made
  std::vector<std::string> left_out;  ///< sentences: which images stay behind, and why
  std::string no_archive;             ///< why there is no archive; empty if there is one, or none was wanted
};

/// Writes the kernels that a store has images of as a library in C: NAME.h, NAME.c (the choice of an instruction set,
/// libm, workspace), NAME_code.S (the machine code) and, if there is a C compiler, libNAME.a. The library needs libc
/// and libm only. Files appear under their names when they are complete, the archive last; an older archive is removed
/// before. Throws argument_error for wrong options, record_error if the store has no such kernels, and backend_error if
/// files cannot be written or compiled; all say what to do.
export_report export_kernels(record_store const& from, export_options const& options = {});

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/export_kernels.inl.hpp"
#endif
