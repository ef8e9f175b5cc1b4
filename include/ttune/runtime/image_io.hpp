// SPDX-License-Identifier: Apache-2.0
// Serialisation of kernel images and measurements, for the worker protocol, databases and exported files.
#pragma once

#include <span>
#include <vector>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/support/bytes.hpp"

namespace ttune { inline namespace v0 {

/// Serialises an image as {magic, version, checksum, body}. The checksum detects damage, not malice. Throws
/// argument_error for an image without machine code of its own (`kernel_image::in_process_code`).
[[nodiscard]] std::vector<std::uint8_t> to_bytes(kernel_image const& image);
/// Parses an image. Throws record_error with the reason if the bytes are not an intact image of this version. Safe for
/// arbitrary bytes: the entries of a returned image lie inside of its code, and its sizes can be summed without
/// overflow.
[[nodiscard]] kernel_image image_from_bytes(std::span<std::uint8_t const> bytes);

// Parts of messages. The `get` functions throw record_error for invalid values.
void put(byte_sink& out, kernel_signature const& signature);
void get(byte_source& in, kernel_signature& signature);
void put(byte_sink& out, measurement const& m);
void get(byte_source& in, measurement& m);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/image_io.inl.hpp"
#endif
