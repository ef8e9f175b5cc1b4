// SPDX-License-Identifier: Apache-2.0
// What a kernel image for an OpenCL device holds in the place of machine code: the launches of a call, the text of the
// kernels, and what the driver made of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/emit/device_program.hpp"

namespace ttune::inline v0::opencl {

struct payload {
  emit::device_program program;
  std::string device;                ///< device_info::identity() that it is for
  std::vector<std::uint8_t> binary;  ///< may be empty: the text is compiled where the kernel is loaded
};

[[nodiscard]] std::vector<std::uint8_t> to_bytes(payload const& p);
/// Throws record_error for bytes that are none, or with launches that no device could run.
[[nodiscard]] payload payload_from_bytes(std::span<std::uint8_t const> bytes);

}  // namespace ttune::inline v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/payload.inl.hpp"
#endif
