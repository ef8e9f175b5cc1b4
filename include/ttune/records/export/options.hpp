// SPDX-License-Identifier: Apache-2.0
// The options of an ahead-of-time export: kernels, names, compiler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Decides if an export compiles what it writes.
enum class export_archive : std::uint8_t {
  if_possible,  ///< if the compiler and the archiver are there
  always,       ///< without them the export fails
  never         ///< sources only
};

/// The choice of kernels, the names and the compiler of an export.
struct export_options {
  std::string folder = ".";      ///< made if it is not there
  std::string name = "kernels";  ///< begins the names of all files and functions: an identifier of C
  /// Kernels to export, all if empty: "OPERATOR" or the beginning of a key's id (`ttune records list`), with
  /// "=FUNCTION" behind it to choose the name of the function.
  std::vector<std::string> kernels = {};
  std::vector<std::string> targets = {};  ///< beginnings of names of targets, "x86_64 x86-64-v3"; empty: all
  export_archive archive = export_archive::if_possible;
  std::string compiler = {};        ///< of C, with arguments; empty: CC of the environment, else `cc`
  std::string archiver = {};        ///< empty: AR of the environment, else `ar`
  std::string compiler_flags = {};  ///< empty: CFLAGS of the environment, else "-O2"
  std::string from = "the store";   ///< name of the store in messages
};

}}  // namespace ttune::v0
