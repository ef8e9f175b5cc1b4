// SPDX-License-Identifier: Apache-2.0
// Which profilers and debuggers are told about loaded kernels: TTUNE_TOOLS=map,jitdump,gdb,samples in the environment.
#pragma once

#include <string>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// The tools that are told about each kernel that is loaded.
struct asked_tools {
  bool map = false;      ///< /tmp/perf-PID.map, in which perf finds the names of functions
  bool jitdump = false;  ///< jit-PID.dump for `perf inject --jit`: names, code and lines
  bool gdb = false;      ///< gdb's interface for compilers in the process
  bool samples = false;  ///< ttune-PID.samples: the lines of kernels that a timer interrupts (sampler.hpp)

  [[nodiscard]] bool any() const noexcept { return map || jitdump || gdb || samples; }
  /// Returns true if a tool shows lines, which the compiler then keeps.
  [[nodiscard]] bool lines() const noexcept { return jitdump || gdb || samples; }
};

/// Reads names that are separated by commas; an empty text names none. Throws argument_error for other names.
[[nodiscard]] asked_tools parse_tools(std::string_view text);

/// Returns what TTUNE_TOOLS asks for. It is read once, by the first call; throws as `parse_tools` does. Workers remove
/// the variable: their kernels are candidates (worker/entry.hpp).
[[nodiscard]] asked_tools const& tools_of_environment();

/// Returns the folder of jitdump files, of samples and of loop nests: the environment's JITDUMPDIR, else /tmp.
[[nodiscard]] std::string tools_folder();

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/asked_tools.inl.hpp"
#endif
