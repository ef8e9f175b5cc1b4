// SPDX-License-Identifier: Apache-2.0
// What a kernel image for a device holds in the place of machine code: the launches of a call, the text of the kernels,
// and what the device's compiler made of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/emit/device_program.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune::inline v0::emit {

struct device_payload {
  device_program program;
  std::string device;                ///< whom the binary is for, in the backend's words
  std::vector<std::uint8_t> binary;  ///< may be empty where the text is compiled when the kernel is loaded
};

[[nodiscard]] std::vector<std::uint8_t> to_bytes(device_payload const& p);
/// Throws record_error for bytes that are none, or with launches that no device could run.
[[nodiscard]] device_payload payload_from_bytes(std::span<std::uint8_t const> bytes);

/// `backend` is who loads it (kernel_image::device). Workspaces are the device's own, the prepared buffers are those of
/// the lowered program.
[[nodiscard]] kernel_image make_device_image(device_payload const& made, ir::lowered const& of,
                                             kernel_signature signature, target const& machine, std::string backend);

}  // namespace ttune::inline v0::emit

#if TTUNE_HEADER_ONLY
#include "ttune/emit/device_image.inl.hpp"
#endif
