// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/backends/opencl/payload.hpp"
#include "ttune/support/bytes.hpp"

namespace ttune::inline v0::opencl {

namespace detail {

inline constexpr std::uint32_t payload_magic = 0x6c636f74;  // "tocl" as text
inline constexpr std::uint32_t payload_version = 1;

inline void put(byte_sink& out, std::vector<emit::device_launch> const& launches) {
  out.put(static_cast<std::uint64_t>(launches.size()));
  for (auto const& l : launches) {
    out.put(l.kernel);
    for (auto const n : l.groups) out.put(n);
    for (auto const n : l.threads) out.put(n);
    out.put(l.group_bytes);
    out.put(l.values);
  }
}

inline void get(byte_source& in, std::vector<emit::device_launch>& launches) {
  constexpr std::uint64_t most = 1 << 16;
  auto const count = in.get<std::uint64_t>();
  if (count > most) throw record_error("malformed bytes: a kernel of " + std::to_string(count) + " launches");
  for (std::uint64_t i = 0; i < count; ++i) {
    auto& l = launches.emplace_back();
    in.get(l.kernel);
    for (auto* sizes : {&l.groups, &l.threads})
      for (auto& n : *sizes) {
        in.get(n);
        if (n < 1 || n > 0x7fffffff) throw record_error("malformed bytes: a grid of " + std::to_string(n));
      }
    in.get(l.group_bytes);
    in.get(l.values);
  }
}

}  // namespace detail

TTUNE_INLINE std::vector<std::uint8_t> to_bytes(payload const& p) {
  byte_sink out;
  out.put(detail::payload_magic);
  out.put(detail::payload_version);
  detail::put(out, p.program.prepare);
  detail::put(out, p.program.main);
  out.put(p.program.workspace_bytes);
  out.put(static_cast<std::uint64_t>(p.program.written.size()));
  for (bool const w : p.program.written) out.put(w);
  out.put(p.program.source);
  out.put(p.device);
  out.put(p.options);
  out.put(p.binary);
  return out.take();
}

TTUNE_INLINE payload payload_from_bytes(std::span<std::uint8_t const> bytes) {
  byte_source in(bytes);
  if (in.get<std::uint32_t>() != detail::payload_magic || in.get<std::uint32_t>() != detail::payload_version)
    throw record_error("these bytes are no kernel for OpenCL of this version");
  payload p;
  detail::get(in, p.program.prepare);
  detail::get(in, p.program.main);
  in.get(p.program.workspace_bytes);
  if (p.program.workspace_bytes < 0 || p.program.workspace_bytes > std::int64_t{1} << 46) throw record_error("malformed bytes: a workspace without a size");
  auto const operands = in.get<std::uint64_t>();
  if (operands > 1024) throw record_error("malformed bytes: too many operands");
  for (std::uint64_t i = 0; i < operands; ++i) p.program.written.push_back(in.get<bool>());
  in.get(p.program.source);
  in.get(p.device);
  in.get(p.options);
  in.get(p.binary);
  in.finish();
  return p;
}

}  // namespace ttune::inline v0::opencl
