// SPDX-License-Identifier: Apache-2.0
// The content of a device's kernel image, in place of machine code: the launches of a call, the text of the kernels,
// and the binary that the device's compiler made of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/codegen/device_program.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// The content of a device image.
struct device_payload {
  device_program program;
  std::string device;                ///< name of the device that the binary is for, defined by the backend
  std::vector<std::uint8_t> binary;  ///< may be empty if the text is compiled when the kernel is loaded
};

[[nodiscard]] std::vector<std::uint8_t> to_bytes(device_payload const& p);
/// Parses a payload; throws record_error if the bytes are malformed, or contain launches that no device can run.
[[nodiscard]] device_payload payload_from_bytes(std::span<std::uint8_t const> bytes);

/// Makes a kernel image. `backend` is the name of the loader (kernel_image::device). The device allocates workspaces
/// itself; the prepared buffers are those of the lowered program.
[[nodiscard]] kernel_image make_device_image(device_payload const& made, ir::lowered const& of,
                                             kernel_signature signature, target const& machine, std::string backend);

}}}  // namespace ttune::v0::codegen

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/codegen/device_image.inl.hpp"
#endif
