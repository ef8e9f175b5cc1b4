// SPDX-License-Identifier: Apache-2.0
// The file in which perf finds names of functions that no program file has: /tmp/perf-PID.map.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/runtime/tools/code_map.hpp"
#include "ttune/runtime/tools/tool_file.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// A perf map: a line "ADDRESS BYTES NAME" for each function, numbers in hexadecimal. Kernels that are unloaded stay in
/// it, and their addresses are not used again (load.hpp): perf has no form for their end.
class perf_map {
 public:
  /// Creates the file, or empties it. Throws backend_error if that fails.
  explicit perf_map(std::string path);

  /// Adds functions of code at an address. Throws backend_error if the file cannot be written.
  void add(std::uintptr_t code, std::vector<code_function> const& functions);

 private:
  tool_file file_;
};

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/perf_map.inl.hpp"
#endif
