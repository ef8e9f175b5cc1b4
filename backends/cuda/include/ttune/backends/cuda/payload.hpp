// SPDX-License-Identifier: Apache-2.0
// What a kernel image for an NVIDIA GPU holds in the place of machine code of a CPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttune/emit/device_program.hpp"

namespace ttune::inline v0::cuda {

struct payload {
  emit::device_program program;
  std::int32_t architecture = 0;  ///< 90: the cubin is for sm_90
  std::vector<std::uint8_t> cubin;
};

[[nodiscard]] std::vector<std::uint8_t> to_bytes(payload const& p);
/// Throws record_error for bytes that are none, or with launches that no device could run.
[[nodiscard]] payload payload_from_bytes(std::span<std::uint8_t const> bytes);

}  // namespace ttune::inline v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/payload.inl.hpp"
#endif
