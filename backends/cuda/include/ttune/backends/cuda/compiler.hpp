// SPDX-License-Identifier: Apache-2.0
// Text to cubin, by NVRTC.
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

struct cubin {
  std::vector<std::uint8_t> code;
  std::vector<kernel_resources> kernels;
};

/// As "13.0"; empty if NVRTC is not there.
[[nodiscard]] std::string nvrtc_version();
/// That this NVRTC compiles for: 75, 80, …; empty if it is not there.
[[nodiscard]] std::vector<int> architectures();
/// Nothing, and the compiler's diagnostics, if it does not compile. Several threads may compile at once. `fast`: with
/// fewer optimizations, where NVRTC offers that (13 and newer).
[[nodiscard]] std::optional<cubin> compile(std::string const& source, int architecture, std::string& diagnostics,
                                           bool fast = false);
/// From what `--ptxas-options=-v` makes NVRTC log.
[[nodiscard]] std::vector<kernel_resources> resources_of(std::string const& log);

}  // namespace ttune::inline v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/compiler.inl.hpp"
#endif
