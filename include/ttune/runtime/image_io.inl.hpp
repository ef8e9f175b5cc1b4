// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/runtime/image_io.hpp"
#include "ttune/support/hash.hpp"

namespace ttune::inline v0 {

namespace detail {
inline constexpr std::uint64_t image_magic = 0x31676d6974746bU;  // "kttimg1"
inline constexpr std::uint32_t image_version = 1;
}  // namespace detail

TTUNE_INLINE void put(byte_sink& out, kernel_signature const& s) {
  out.put(s.name);
  out.put(static_cast<std::uint64_t>(s.operands.size()));
  for (auto const& o : s.operands) {
    out.put(o.name);
    out.put(o.type);
    out.put(o.shape);
    out.put(o.way);
    out.put(o.has_range);
    out.put(o.low);
    out.put(o.high);
  }
  out.put(s.prepared_bytes);
  out.put(s.shared_bytes);
  out.put(s.local_bytes);
  out.put(s.flops);
  out.put(s.terms);
}

TTUNE_INLINE void get(byte_source& in, kernel_signature& s) {
  in.get(s.name);
  auto const count = in.get<std::uint64_t>();
  if (count > 256) throw record_error("malformed bytes: a kernel with more than 256 operands");
  s.operands.resize(static_cast<std::size_t>(count));
  for (auto& o : s.operands) {
    in.get(o.name);
    in.get(o.type);
    in.get(o.shape);
    in.get(o.way);
    in.get(o.has_range);
    in.get(o.low);
    in.get(o.high);
    if (o.type >= dtype::index) throw record_error("malformed bytes: operand " + o.name + " has no known element type");
    for (auto const extent : o.shape)
      if (extent < 0) throw record_error("malformed bytes: operand " + o.name + " has a negative extent");
  }
  in.get(s.prepared_bytes);
  in.get(s.shared_bytes);
  in.get(s.local_bytes);
  in.get(s.flops);
  in.get(s.terms);
}

TTUNE_INLINE void put(byte_sink& out, measurement const& m) {
  out.put(m.status);
  out.put(m.seconds);
  out.put(m.spread);
  out.put(m.samples);
  out.put(m.compile_seconds);
  out.put(m.measure_seconds);
  out.put(m.message);
}

TTUNE_INLINE void get(byte_source& in, measurement& m) {
  in.get(m.status);
  in.get(m.seconds);
  in.get(m.spread);
  in.get(m.samples);
  in.get(m.compile_seconds);
  in.get(m.measure_seconds);
  in.get(m.message);
}

TTUNE_INLINE std::vector<std::uint8_t> to_bytes(kernel_image const& image) {
  byte_sink body;
  put(body, image.signature);
  body.put(image.target);
  body.put(image.abi);
  body.put(image.main_offset);
  body.put(image.prepare_offset);
  body.put(image.code);
  auto const bytes = body.take();
  byte_sink out;
  out.put(detail::image_magic);
  out.put(detail::image_version);
  out.put(hasher{}.add(std::span<std::uint8_t const>(bytes)).value());
  out.put(bytes);
  return out.take();
}

TTUNE_INLINE kernel_image image_from_bytes(std::span<std::uint8_t const> bytes) {
  byte_source in(bytes);
  if (in.get<std::uint64_t>() != detail::image_magic) throw record_error("these bytes are no kernel image");
  if (auto const v = in.get<std::uint32_t>(); v != detail::image_version)
    throw record_error("a kernel image of version " + std::to_string(v) + "; this library reads version " + std::to_string(detail::image_version));
  auto const sum = in.get<std::uint64_t>();
  std::vector<std::uint8_t> body;
  in.get(body);
  if (hasher{}.add(std::span<std::uint8_t const>(body)).value() != sum) throw record_error("a kernel image is damaged: its checksum differs");
  byte_source inner(body);
  kernel_image image;
  get(inner, image.signature);
  inner.get(image.target);
  inner.get(image.abi);
  inner.get(image.main_offset);
  inner.get(image.prepare_offset);
  inner.get(image.code);
  auto const size = static_cast<std::int64_t>(image.code.size());
  if (image.main_offset < 0 || image.main_offset >= size || image.prepare_offset >= size)
    throw record_error("malformed bytes: an entry of a kernel image lies outside of its code");
  return image;
}

}  // namespace ttune::inline v0
