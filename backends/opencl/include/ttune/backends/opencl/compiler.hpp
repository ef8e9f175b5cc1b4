// SPDX-License-Identifier: Apache-2.0
// Compiles text to a program by the device's driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/opencl/session.hpp"
#include "ttune/codegen/device_image.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

/// Compiles a text. Returns nothing, with the compiler's diagnostics, if it does not compile.
[[nodiscard]] std::optional<cl::Program> compile(session const& in, std::string const& source,
                                                 std::string& diagnostics);
/// Loads the binary of an image. Returns nothing if there is none, or if the driver refuses it.
[[nodiscard]] std::optional<cl::Program> load_binary(session const& in, codegen::device_payload const& p);
/// Returns the driver's binary of a compiled program; empty if the driver does not provide it.
[[nodiscard]] std::vector<std::uint8_t> binary_of(cl::Program const& p);

}}}  // namespace ttune::v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/compiler.inl.hpp"
#endif
