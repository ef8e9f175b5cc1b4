// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ttune/runtime/image_io.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/hash.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline constexpr std::uint64_t image_magic = 0x6567616d69757474U;  // "ttuimage" as text
inline constexpr std::uint32_t image_version = 4;
// Version 1 had no `device`, 2 no `operand_uses`, 3 no prepared buffers there.
inline constexpr std::size_t most_operands = 1024;
/// Upper bound for one buffer: sums of them do not overflow.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 46;

[[noreturn]] inline void malformed(std::string const& what) { throw record_error("malformed bytes: " + what); }

inline void check_size(std::int64_t bytes, char const* what) {
  if (bytes < 0 || bytes > most_bytes) malformed(std::string(what) + " of " + std::to_string(bytes) + " bytes");
}

inline void check_operand(operand_info const& o) {
  if (o.type >= dtype::index) malformed("operand " + o.name + " has no known element type");
  if (o.strides > operand_strides::all) malformed("operand " + o.name + " has no known strides");
  if (o.direction > operand_direction::extents) malformed("operand " + o.name + " has no known direction");
  auto bytes = static_cast<std::int64_t>(size_in_bytes(o.type));
  for (auto const extent : o.shape) {
    if (extent < 0 || (extent != 0 && bytes > most_bytes / extent)) malformed("operand " + o.name + " has no size");
    bytes *= extent;
  }
  if (!o.open.empty() && o.open.size() != o.shape.size()) malformed("operand " + o.name + " has no known extents");
}

/// The strides of an operand share a byte with its direction, and with a bit that says that open extents follow: an
/// earlier library refuses strided operands, and open extents, by it.
inline constexpr int bits_of_direction = 4;
inline constexpr int bit_of_open_extents = 0x80;

inline void put(byte_sink& out, operand_info const& o) {
  out.put(o.name);
  out.put(o.type);
  out.put(o.shape);
  out.put(static_cast<std::uint8_t>(static_cast<int>(o.direction) | static_cast<int>(o.strides) << bits_of_direction |
                                    (o.open.empty() ? 0 : bit_of_open_extents)));
  out.put(o.has_range);
  out.put(o.low);
  out.put(o.high);
  if (!o.open.empty()) out.put(o.open);
}

inline void get(byte_source& in, operand_info& o) {
  in.get(o.name);
  in.get(o.type);
  in.get(o.shape);
  auto const use = in.get<std::uint8_t>();
  o.direction = static_cast<operand_direction>(use & ((1 << bits_of_direction) - 1));
  o.strides = static_cast<operand_strides>((use & ~bit_of_open_extents) >> bits_of_direction);
  in.get(o.has_range);
  in.get(o.low);
  in.get(o.high);
  if ((use & bit_of_open_extents) != 0) in.get(o.open);
  check_operand(o);
}

}  // namespace detail

void put(byte_sink& out, kernel_signature const& s) {
  out.put(s.name);
  out.put(static_cast<std::uint64_t>(s.operands.size()));
  for (auto const& o : s.operands) detail::put(out, o);
  out.put(s.prepared_bytes);
  out.put(s.shared_bytes);
  out.put(s.local_bytes);
  out.put(s.flops);
  out.put(s.terms);
}

void get(byte_source& in, kernel_signature& s) {
  in.get(s.name);
  auto const count = in.get<std::uint64_t>();
  if (count > detail::most_operands) detail::malformed("a kernel with " + std::to_string(count) + " operands");
  s.operands.resize(static_cast<std::size_t>(count));
  for (auto& o : s.operands) detail::get(in, o);
  in.get(s.prepared_bytes);
  in.get(s.shared_bytes);
  in.get(s.local_bytes);
  in.get(s.flops);
  in.get(s.terms);
  if (s.prepared_bytes.size() > detail::most_operands) detail::malformed("too many prepared buffers");
  for (auto const bytes : s.prepared_bytes) detail::check_size(bytes, "a prepared buffer");
  detail::check_size(s.shared_bytes, "a workspace");
  detail::check_size(s.local_bytes, "a workspace");
}

void put(byte_sink& out, measurement const& m) {
  out.put(m.status);
  out.put(m.seconds);
  out.put(m.spread);
  out.put(m.samples);
  out.put(m.compile_seconds);
  out.put(m.measure_seconds);
  out.put(m.message);
}

void get(byte_source& in, measurement& m) {
  in.get(m.status);
  in.get(m.seconds);
  in.get(m.spread);
  in.get(m.samples);
  in.get(m.compile_seconds);
  in.get(m.measure_seconds);
  in.get(m.message);
  if (m.status > trial_status::cut_off) detail::malformed("a measurement with an unknown status");
}

std::vector<std::uint8_t> to_bytes(kernel_image const& image) {
  if (image.in_process_code)
    throw argument_error("kernel " + image.signature.name + " exists in this process only: it is no machine code");
  byte_sink body;
  put(body, image.signature);
  body.put(image.target);
  body.put(image.features);
  body.put(image.device);
  body.put(image.abi);
  body.put(image.main_offset);
  body.put(image.prepare_offset);
  body.put(image.code);
  body.put(image.operand_uses);
  auto const bytes = body.take();
  byte_sink out;
  out.put(detail::image_magic);
  out.put(detail::image_version);
  out.put(hasher{}.add(std::span<std::uint8_t const>(bytes)).value());
  out.put(bytes);
  return out.take();
}

kernel_image image_from_bytes(std::span<std::uint8_t const> bytes) {
  byte_source in(bytes);
  if (in.get<std::uint64_t>() != detail::image_magic) throw record_error("these bytes are no kernel image");
  auto const v = in.get<std::uint32_t>();
  if (v < 1 || v > detail::image_version)
    throw record_error("a kernel image of version " + std::to_string(v) + "; this library reads version " +
                       std::to_string(detail::image_version));
  auto const sum = in.get<std::uint64_t>();
  auto const body = in.get_bytes();
  in.finish();
  if (hasher{}.add(body).value() != sum) throw record_error("a kernel image is damaged: its checksum differs");
  byte_source inner(body);
  kernel_image image;
  get(inner, image.signature);
  inner.get(image.target);
  inner.get(image.features);
  if (v > 1) inner.get(image.device);
  inner.get(image.abi);
  inner.get(image.main_offset);
  inner.get(image.prepare_offset);
  inner.get(image.code);
  if (v > 2) inner.get(image.operand_uses);
  inner.finish();
  if (image.operand_uses.size() > image.signature.operands.size() + image.signature.prepared_bytes.size())
    detail::malformed("more operands are read than there are");
  auto const size = static_cast<std::int64_t>(image.code.size());
  if (image.main_offset < 0 || image.main_offset >= size || image.prepare_offset < -1 || image.prepare_offset >= size)
    detail::malformed("an entry of a kernel image lies outside of its code");
  return image;
}

}}  // namespace ttune::v0
