// SPDX-License-Identifier: Apache-2.0
// Brings a kernel image into memory: map, copy, protect. No compiler is touched.
#pragma once

#include <memory>

#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune::inline v0 {

/// Executable code of an image. Shared by all kernels made of it, unmapped with the last.
class loaded_image {
 public:
  /// Throws argument_error if the image was compiled against another ABI, backend_error if memory cannot be had.
  explicit loaded_image(kernel_image const& image);
  loaded_image(loaded_image const&) = delete;
  loaded_image& operator=(loaded_image const&) = delete;
  ~loaded_image();

  [[nodiscard]] kernel_signature const& signature() const noexcept { return signature_; }
  [[nodiscard]] kernel_function main() const noexcept { return main_; }
  [[nodiscard]] kernel_function prepare() const noexcept { return prepare_; }  ///< null: nothing to prepare
  [[nodiscard]] std::size_t workspace_bytes(std::int32_t threads) const noexcept {
    return static_cast<std::size_t>(signature_.shared_bytes + threads * signature_.local_bytes);
  }

 private:
  kernel_signature signature_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  kernel_function main_ = nullptr;
  kernel_function prepare_ = nullptr;
};

[[nodiscard]] inline std::shared_ptr<loaded_image const> load(kernel_image const& image) {
  return std::make_shared<loaded_image const>(image);
}

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/load.inl.hpp"
#endif
