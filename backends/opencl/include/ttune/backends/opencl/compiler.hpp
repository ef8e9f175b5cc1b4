// SPDX-License-Identifier: Apache-2.0
// Text to a program, by the device's driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/opencl/session.hpp"
#include "ttune/emit/device_image.hpp"

namespace ttune::inline v0::opencl {

/// Nothing, and the compiler's diagnostics, if it does not compile.
[[nodiscard]] std::optional<cl::Program> compile(session const& in, std::string const& source,
                                                 std::string& diagnostics);
/// From a binary in an image. Nothing if there is none, or the driver does not want it any more.
[[nodiscard]] std::optional<cl::Program> load_binary(session const& in, emit::device_payload const& p);
/// What the driver made of a program that was compiled; empty if it does not say.
[[nodiscard]] std::vector<std::uint8_t> binary_of(cl::Program const& p);

}  // namespace ttune::inline v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/compiler.inl.hpp"
#endif
