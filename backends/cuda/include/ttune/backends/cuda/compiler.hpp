// SPDX-License-Identifier: Apache-2.0
// Text to cubin or PTX, by NVRTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/cuda/api.hpp"

namespace ttune::inline v0::cuda {

/// What the assembler says of a kernel.
struct kernel_resources {
  std::string kernel;
  std::int32_t registers = 0;    ///< of a thread
  std::int32_t spill_bytes = 0;  ///< stored to and loaded from memory for want of registers
  std::int32_t stack_bytes = 0;
  std::int32_t block_bytes = 0;  ///< shared memory that the text declares
};

struct compile_options {
  /// Candidates compile in less time, up to 45 % (backends/cuda/README.md), with fewer of the compiler's optimizations.
  bool fast = false;
  /// PTX in the place of machine code: newer architectures run it, too. Their driver compiles it when it is loaded,
  /// which takes as long again, and nothing is known of registers.
  bool portable = false;
};

struct compiled_code {
  std::vector<std::uint8_t> code;         ///< a cubin; PTX as text, with its zero
  std::vector<kernel_resources> kernels;  ///< empty of PTX
};

/// As "13.0"; empty if NVRTC is not there.
[[nodiscard]] std::string nvrtc_version();
/// That this NVRTC compiles for: 75, 80, …; empty if it is not there.
[[nodiscard]] std::vector<int> architectures();
/// Nothing, and the compiler's diagnostics, if it does not compile. Several threads may compile at once. What is asked
/// to be fast is where NVRTC offers that (13 and newer).
[[nodiscard]] std::optional<compiled_code> compile(std::string const& source, int architecture,
                                                   std::string& diagnostics, compile_options const& options = {});
/// From what `--ptxas-options=-v` makes NVRTC log.
[[nodiscard]] std::vector<kernel_resources> resources_of(std::string const& log);

}  // namespace ttune::inline v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/compiler.inl.hpp"
#endif
