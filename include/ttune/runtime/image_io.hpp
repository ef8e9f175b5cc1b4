// SPDX-License-Identifier: Apache-2.0
// Kernel images and measurements as bytes: what the worker's protocol, databases and exports hold.
#pragma once

#include <span>
#include <vector>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measurement.hpp"
#include "ttune/support/bytes.hpp"

namespace ttune::inline v0 {

/// {magic, version, checksum, body}; the checksum finds damage, not malice. Throws argument_error for an image without
/// machine code of its own (`kernel_image::hosted`).
[[nodiscard]] std::vector<std::uint8_t> to_bytes(kernel_image const& image);
/// Throws record_error, saying what is wrong, for bytes that are no intact image of this version. Safe on any bytes:
/// an image that it returns has its entries inside of its code and sizes that can be added up.
[[nodiscard]] kernel_image image_from_bytes(std::span<std::uint8_t const> bytes);

// Parts of messages. Reading throws record_error for values that cannot be.
void put(byte_sink& out, kernel_signature const& signature);
void get(byte_source& in, kernel_signature& signature);
void put(byte_sink& out, measurement const& m);
void get(byte_source& in, measurement& m);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/image_io.inl.hpp"
#endif
