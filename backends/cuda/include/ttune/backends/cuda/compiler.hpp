// SPDX-License-Identifier: Apache-2.0
// Compiles text to a cubin or PTX by NVRTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/cuda/api.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

/// Resources of a kernel, as reported by the assembler.
struct kernel_resources {
  std::string kernel;
  std::int32_t registers = 0;    ///< registers of a thread
  std::int32_t spill_bytes = 0;  ///< bytes stored to and loaded from memory for lack of registers
  std::int32_t stack_bytes = 0;
  std::int32_t block_bytes = 0;  ///< shared memory that the text declares
};

/// Options of `compile`.
struct compile_options {
  /// Compiles candidates in up to 45 % less time (backends/cuda/README.md), with fewer of the compiler's optimisations.
  bool fast = false;
  /// Creates PTX instead of machine code, so that newer architectures can run it, too. The driver compiles it when it
  /// is loaded, which takes the same time again, and the number of registers is unknown.
  bool portable = false;
};

/// The result of a compilation.
struct compiled_code {
  std::vector<std::uint8_t> code;         ///< a cubin, or PTX as text with its terminating zero
  std::vector<kernel_resources> kernels;  ///< empty for PTX
};

/// Returns a version such as "13.0"; empty if NVRTC was not found.
[[nodiscard]] std::string nvrtc_version();
/// Returns the architectures that this NVRTC compiles for: 75, 80, …; empty if NVRTC was not found.
[[nodiscard]] std::vector<int> architectures();
/// Compiles a text. Returns nothing, with the compiler's diagnostics, if it does not compile. Thread-safe. The option
/// `fast` has an effect with NVRTC 13 and newer.
[[nodiscard]] std::optional<compiled_code> compile(std::string const& source, int architecture,
                                                   std::string& diagnostics, compile_options const& options = {});
/// Parses the log that NVRTC writes with `--ptxas-options=-v`.
[[nodiscard]] std::vector<kernel_resources> resources_of(std::string const& log);

}}}  // namespace ttune::v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/compiler.inl.hpp"
#endif
