// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/backends/opencl/payload.hpp"
#include "ttune/support/bytes.hpp"

namespace ttune::inline v0::opencl {

namespace detail {

inline constexpr std::uint32_t payload_magic = 0x6c636f74;  // "tocl" as text
inline constexpr std::uint32_t payload_version = 1;

}  // namespace detail

TTUNE_INLINE std::vector<std::uint8_t> to_bytes(payload const& p) {
  byte_sink out;
  out.put(detail::payload_magic);
  out.put(detail::payload_version);
  emit::put(out, p.program);
  out.put(p.device);
  out.put(p.binary);
  return out.take();
}

TTUNE_INLINE payload payload_from_bytes(std::span<std::uint8_t const> bytes) {
  byte_source in(bytes);
  if (in.get<std::uint32_t>() != detail::payload_magic || in.get<std::uint32_t>() != detail::payload_version)
    throw record_error("these bytes are no kernel for OpenCL of this version");
  payload p;
  emit::get(in, p.program);
  in.get(p.device);
  in.get(p.binary);
  in.finish();
  return p;
}

}  // namespace ttune::inline v0::opencl
