// SPDX-License-Identifier: Apache-2.0
// Loads a kernel image into memory: map, copy, protect. No compiler is involved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/availability.hpp"
#include "ttune/runtime/device_code.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 {

namespace tools {
class gdb_entry;
}

/// Says if this machine and this library can run an image; the reason names the ABI, the processor or missing features.
[[nodiscard]] availability can_load(kernel_image const& image);

/// The executable code of an image, or a device's code. Kernels made of it share it; the last one unmaps it.
class loaded_image {
 public:
  /// Tells the tools that TTUNE_TOOLS names about the code (runtime/tools/). Throws argument_error with the reason of
  /// `can_load`, or if TTUNE_TOOLS names others; backend_error if memory for the code cannot be allocated, or a file
  /// for a tool cannot be written.
  explicit loaded_image(kernel_image const& image);
  loaded_image(loaded_image const&) = delete;
  loaded_image& operator=(loaded_image const&) = delete;
  ~loaded_image();

  [[nodiscard]] kernel_signature const& signature() const noexcept { return signature_; }
  /// Returns the device's code, which runs in place of `main` and `prepare` (both null then); null for CPU code.
  [[nodiscard]] device_code* device() const noexcept { return device_.get(); }
  [[nodiscard]] bool prepares() const noexcept { return prepares_; }
  /// Returns true if `main` may read an operand, or a prepared buffer, which are numbered after the operands.
  [[nodiscard]] bool reads(std::size_t operand) const noexcept {
    return operand >= operand_uses_.size() || (operand_uses_[operand] & read_by_calls) != 0;
  }
  [[nodiscard]] kernel_function main() const noexcept { return main_; }
  [[nodiscard]] kernel_function prepare() const noexcept { return prepare_; }  ///< null: nothing to prepare
  /// Returns the workspace bytes of a call with `threads` threads, without prepared buffers. A multiple of 64.
  [[nodiscard]] std::size_t workspace_bytes(std::int32_t threads) const noexcept {
    auto const bytes = signature_.shared_bytes + threads * signature_.local_bytes;
    return static_cast<std::size_t>((bytes + 63) / 64 * 64);
  }

 private:
  /// An unused page before the code: UBSan's check of indirect calls reads the bytes in front of a function.
  static constexpr std::size_t lead_bytes = 4096;

  kernel_signature signature_;
  std::vector<std::uint8_t> operand_uses_;  ///< as in the image
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  kernel_function main_ = nullptr;
  kernel_function prepare_ = nullptr;
  std::shared_ptr<device_code> device_;
  tools::gdb_entry const* told_gdb_ = nullptr;  ///< owned; what gdb was told about the code
  bool prepares_ = false;
};

[[nodiscard]] inline std::shared_ptr<loaded_image const> load(kernel_image const& image) {
  return std::make_shared<loaded_image const>(image);
}

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/load.inl.hpp"
#endif
