// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/codegen/device_image.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/support/bytes.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

inline constexpr std::uint32_t payload_magic = 0x76656474;  // "tdev" as text
inline constexpr std::uint32_t payload_version = 3;

}  // namespace detail

std::vector<std::uint8_t> to_bytes(device_payload const& p) {
  byte_sink out;
  out.put(detail::payload_magic);
  out.put(detail::payload_version);
  put(out, p.program);
  out.put(p.device);
  out.put(p.binary);
  return out.take();
}

device_payload payload_from_bytes(std::span<std::uint8_t const> bytes) {
  byte_source in(bytes);
  if (in.get<std::uint32_t>() != detail::payload_magic || in.get<std::uint32_t>() != detail::payload_version)
    throw record_error("these bytes are no kernel for a device, or one of another version");
  device_payload p;
  get(in, p.program);
  in.get(p.device);
  in.get(p.binary);
  in.finish();
  return p;
}

kernel_image make_device_image(device_payload const& made, ir::lowered const& of, kernel_signature signature,
                               target const& machine, std::string backend) {
  signature.shared_bytes = 0;
  signature.local_bytes = 0;
  signature.prepared_bytes.clear();
  for (auto const& b : of.prepared)
    signature.prepared_bytes.push_back(b->elements() * static_cast<std::int64_t>(size_in_bytes(b->type)));
  kernel_image image;
  image.signature = std::move(signature);
  image.target = machine.name;
  image.abi = abi_version;
  image.device = std::move(backend);
  image.code = to_bytes(made);
  image.main_offset = 0;
  image.prepare_offset = made.program.prepare.empty() ? -1 : 0;
  return image;
}

}}}  // namespace ttune::v0::codegen
