// SPDX-License-Identifier: Apache-2.0
// Brings a kernel image into memory: map, copy, protect. No compiler is touched.
#pragma once

#include <memory>

#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/availability.hpp"
#include "ttune/runtime/device_code.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune::inline v0 {

/// Whether this machine and this library can run an image; if not, why, naming ABI, processor or missing features.
[[nodiscard]] availability can_load(kernel_image const& image);

/// Executable code of an image, or code of a device. Shared by all kernels made of it, unmapped with the last.
class loaded_image {
 public:
  /// Throws argument_error with the reason of `can_load`, backend_error if memory for the code cannot be had.
  explicit loaded_image(kernel_image const& image);
  loaded_image(loaded_image const&) = delete;
  loaded_image& operator=(loaded_image const&) = delete;
  ~loaded_image();

  [[nodiscard]] kernel_signature const& signature() const noexcept { return signature_; }
  /// Null: `main` and `prepare` are called. Otherwise they are null and this runs.
  [[nodiscard]] device_code* device() const noexcept { return device_.get(); }
  [[nodiscard]] bool prepares() const noexcept { return prepares_; }
  [[nodiscard]] kernel_function main() const noexcept { return main_; }
  [[nodiscard]] kernel_function prepare() const noexcept { return prepare_; }  ///< null: nothing to prepare
  /// What the code wants of memory for a call with so many threads, prepared buffers apart. A multiple of 64.
  [[nodiscard]] std::size_t workspace_bytes(std::int32_t threads) const noexcept {
    auto const bytes = signature_.shared_bytes + threads * signature_.local_bytes;
    return static_cast<std::size_t>((bytes + 63) / 64 * 64);
  }

 private:
  /// A page before the code: UBSan's check of indirect calls reads the bytes in front of a function.
  static constexpr std::size_t lead_bytes = 4096;

  kernel_signature signature_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  kernel_function main_ = nullptr;
  kernel_function prepare_ = nullptr;
  std::shared_ptr<device_code> device_;
  bool prepares_ = false;
};

[[nodiscard]] inline std::shared_ptr<loaded_image const> load(kernel_image const& image) {
  return std::make_shared<loaded_image const>(image);
}

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/load.inl.hpp"
#endif
