// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/device_program.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

inline void put_launches(byte_sink& out, std::vector<device_launch> const& launches) {
  out.put(static_cast<std::uint64_t>(launches.size()));
  for (auto const& l : launches) {
    out.put(l.kernel);
    for (auto const n : l.groups) out.put(n);
    for (auto const n : l.threads) out.put(n);
    out.put(l.group_bytes);
    out.put(l.launch_bytes);
    out.put(l.values);
    out.put(l.may_idle);
  }
}

inline void get_launches(byte_source& in, std::vector<device_launch>& launches) {
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
    in.get(l.launch_bytes);
    if (l.launch_bytes < 0 || l.launch_bytes > 0x7fffffff)
      throw record_error("malformed bytes: a launch with " + std::to_string(l.launch_bytes) +
                         " bytes of shared memory");
    in.get(l.values);
    in.get(l.may_idle);
  }
}

}  // namespace detail

void put(byte_sink& out, device_program const& p) {
  detail::put_launches(out, p.prepare);
  detail::put_launches(out, p.main);
  out.put(p.workspace_bytes);
  out.put(static_cast<std::uint64_t>(p.written.size()));
  for (bool const w : p.written) out.put(w);
  out.put(p.source);
}

void get(byte_source& in, device_program& p) {
  detail::get_launches(in, p.prepare);
  detail::get_launches(in, p.main);
  in.get(p.workspace_bytes);
  if (p.workspace_bytes < 0 || p.workspace_bytes > std::int64_t{1} << 46)
    throw record_error("malformed bytes: a workspace without a size");
  auto const operands = in.get<std::uint64_t>();
  if (operands > 1024) throw record_error("malformed bytes: too many operands");
  p.written.clear();
  for (std::uint64_t i = 0; i < operands; ++i) p.written.push_back(in.get<bool>());
  in.get(p.source);
}

}}}  // namespace ttune::v0::codegen
