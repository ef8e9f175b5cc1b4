// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstring>

#include "ttune/runtime/load.hpp"
#include "ttune/support/error.hpp"

namespace ttune::inline v0 {

TTUNE_INLINE loaded_image::loaded_image(kernel_image const& image) : signature_(image.signature), bytes_(image.code.size()) {
  if (image.abi != abi_version)
    throw argument_error("kernel " + signature_.name + " was compiled against ABI " + std::to_string(image.abi) + ", this library has " +
                         std::to_string(abi_version) + ": tune it again");
  if (image.main_offset < 0 || static_cast<std::size_t>(image.main_offset) >= bytes_)
    throw argument_error("kernel " + signature_.name + ": its entry lies outside of its code");
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) throw backend_error("kernel " + signature_.name + ": no memory for its code");
  std::memcpy(memory_, image.code.data(), bytes_);
  if (mprotect(memory_, bytes_, PROT_READ | PROT_EXEC) != 0) {
    munmap(memory_, bytes_);
    throw backend_error("kernel " + signature_.name + ": this system does not allow memory to become executable");
  }
  auto const entry = [&](std::int64_t offset) {
    return offset < 0 ? nullptr : reinterpret_cast<kernel_function>(static_cast<std::uint8_t*>(memory_) + offset);
  };
  main_ = entry(image.main_offset);
  prepare_ = entry(image.prepare_offset);
}

TTUNE_INLINE loaded_image::~loaded_image() { munmap(memory_, bytes_); }

}  // namespace ttune::inline v0
