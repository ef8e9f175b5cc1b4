// SPDX-License-Identifier: Apache-2.0
// Code that is not called but handed to a device: what images of GPUs and OpenCL devices become when they are loaded;
// the interpreter's kernels are such code too.
//
// Who can load them is settled by the linker: a backend's bodies define the function of its device, and a program that
// has them can load such images, whether it is an application or the worker that measures for one. There is no
// registry, nothing to be called first, and no order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ttune/runtime/measurement.hpp"
#include "ttune/support/error.hpp"

namespace ttune::inline v0 {

struct kernel_image;

/// What a device makes of a kernel that fails.
class device_failure : public backend_error {
 public:
  device_failure(std::string const& text, trial_status as, bool lasting)
      : backend_error(text), status_(as), lasting_(lasting) {}
  /// What a trial that ends so is.
  [[nodiscard]] trial_status status() const noexcept { return status_; }
  /// Whether this process can use the device no more.
  [[nodiscard]] bool lasting() const noexcept { return lasting_; }

 private:
  trial_status status_;
  bool lasting_;
};

class device_code {
 public:
  device_code() = default;
  device_code(device_code const&) = delete;
  device_code& operator=(device_code const&) = delete;
  virtual ~device_code() = default;

  enum class entry : std::uint8_t { prepare, main };
  /// Runs it so many times, one after the other, on host memory: operands, then prepared buffers, as a kernel_function
  /// takes them. Gives the seconds that the runs took, without copies to and from the device. `cold`: before each run
  /// the device's last cache is filled with something else, which takes none of them. Safe to be called from several
  /// threads. Throws device_failure, or another backend_error, if the device fails.
  virtual double run(entry what, void* const* operands, std::int64_t calls, bool cold) = 0;
};

/// Gives code that the caller owns; throws backend_error or record_error.
using device_loader = device_code* (*)(kernel_image const& image);

/// Null if this program has no backend for the device, which is named as in kernel_image::device.
[[nodiscard]] device_loader find_device_loader(std::string_view device) noexcept;

}  // namespace ttune::inline v0

extern "C" {
__attribute__((weak)) ttune::device_code* ttune_v0_load_opencl(ttune::kernel_image const& image);
__attribute__((weak)) ttune::device_code* ttune_v0_load_cuda(ttune::kernel_image const& image);
}
