// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "ttune/core/feature_list.hpp"
#include "ttune/runtime/code_pages.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/runtime/tile_permission.hpp"
#include "ttune/runtime/tools/announce.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

device_loader find_device_loader(std::string_view device) noexcept {
  if (device == "opencl") return &ttune_v0_load_opencl;
  if (device == "cuda") return &ttune_v0_load_cuda;
  return nullptr;
}

std::shared_ptr<device_operands> device_code::operands() { return nullptr; }

text_compiler find_text_compiler(std::string_view device) noexcept {
  return device == "cuda" ? &ttune_v0_compile_cuda : nullptr;
}

availability can_load(kernel_image const& image) {
  auto const no = [&](std::string const& why) { return availability{false, "kernel " + image.signature.name + why}; };
  auto const size = static_cast<std::int64_t>(image.code.size());
  if (image.abi != abi_version)
    return no(" was compiled against ABI " + std::to_string(image.abi) + ", this library has " +
              std::to_string(abi_version) + ": tune it again");
  if (image.in_process_code) return {};
  if (image.main_offset < 0 || image.main_offset >= size || image.prepare_offset < -1 || image.prepare_offset >= size)
    return no(": an entry lies outside of its code");
  if (!image.device.empty()) {
    if (find_device_loader(image.device)) return {};
    return no(" is for " + image.device + ", of which this program has no backend: include <ttune/backends/" +
              image.device + ".hpp>");
  }
  if (!is_host_architecture(image.target))
    return no(" is code for \"" + image.target + "\", another kind of processor");
  if (auto const missing = missing_features(image.features); !missing.empty())
    return no(" needs " + missing + ", which this processor lacks");
  if (lists_feature(image.features, "amx-tile") && !detail::may_use_tiles())
    return no(" needs registers for tiles (AMX), which this system does not give to this process");
  return {};
}

loaded_image::loaded_image(kernel_image const& image)
    : signature_(image.signature),
      operand_uses_(image.operand_uses),
      bytes_(lead_bytes + image.code.size()),
      prepares_(image.prepare_offset >= 0) {
  if (auto const possible = can_load(image); !possible) throw argument_error(possible.reason);
  if (image.in_process_code) {
    device_ = image.in_process_code;
    return;
  }
  if (!image.device.empty()) {
    device_.reset(find_device_loader(image.device)(image));
    return;
  }
  memory_ = detail::map_code(image.code, lead_bytes);
  if (!memory_)
    throw backend_error(
        "kernel " + signature_.name +
        (errno == ENOMEM ? ": no memory for its code: " : ": this system does not let memory become code: ") +
        std::strerror(errno));
  auto* const base = static_cast<char*>(memory_) + lead_bytes;
  __builtin___clear_cache(base, base + image.code.size());  // does nothing on x86
  main_ = reinterpret_cast<kernel_function>(base + image.main_offset);
  if (image.prepare_offset >= 0) prepare_ = reinterpret_cast<kernel_function>(base + image.prepare_offset);
  try {
    told_gdb_ = tools::announce(tools::tools_of_environment(), image, reinterpret_cast<std::uintptr_t>(base));
  } catch (...) {
    munmap(memory_, bytes_);
    throw;
  }
}

loaded_image::~loaded_image() {
  tools::withdraw(told_gdb_);
  if (!memory_) return;
  // Tools that were told about an address take what is there later for the same kernel, so it is not used again.
  constexpr int unused = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
  bool const told = tools::tools_of_environment().any();
  if (!told || mmap(memory_, bytes_, PROT_NONE, unused, -1, 0) == MAP_FAILED) munmap(memory_, bytes_);
}

}}  // namespace ttune::v0
