// SPDX-License-Identifier: Apache-2.0
// Code that a device runs on the caller's behalf: loaded images of GPUs and OpenCL devices, and the kernels of the
// interpreter.
//
// The linker settles which devices a program can load images for: the bodies of a backend define a loader function for
// its device. Applications and workers are treated alike. There is no registry, no initialisation call and no required
// order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

struct kernel_image;
class byte_source;
class byte_sink;

/// Thrown when a kernel fails on a device.
class device_failure : public backend_error {
 public:
  device_failure(std::string const& text, trial_status as, bool lasting)
      : backend_error(text), status_(as), lasting_(lasting) {}
  /// Returns the status that a trial gets when it ends with this failure.
  [[nodiscard]] trial_status status() const noexcept { return status_; }
  /// Returns true if this process cannot use the device any more.
  [[nodiscard]] bool lasting() const noexcept { return lasting_; }

 private:
  trial_status status_;
  bool lasting_;
};

/// Copies of operands in the memory of a device.
class device_operands {
 public:
  device_operands() = default;
  device_operands(device_operands const&) = delete;
  device_operands& operator=(device_operands const&) = delete;
  virtual ~device_operands() = default;
};

/// Loaded code of a device: runs the entries of a kernel.
class device_code {
 public:
  device_code() = default;
  device_code(device_code const&) = delete;
  device_code& operator=(device_code const&) = delete;
  virtual ~device_code() = default;

  enum class entry : std::uint8_t { prepare, main };
  /// Runs an entry `calls` times in sequence on host memory. `operands` holds the operands, then the prepared buffers,
  /// as for a kernel_function. Returns the seconds that the runs took, without copies to and from the device. If `cold`
  /// is true, the device's last-level cache is filled with other data before each run; that time is not counted.
  /// Thread-safe. Throws device_failure, or another backend_error, if the device fails.
  virtual double run(entry what, void* const* operands, std::int64_t calls, bool cold) = 0;

  // ---- for measuring: a device with memory of its own need not copy operands for each run

  /// Returns true if kernels work on copies of the operands, in memory of the device.
  [[nodiscard]] virtual bool copies_operands() const noexcept { return false; }
  /// Returns the copies, with the inputs of the last run; null if there are none.
  [[nodiscard]] virtual std::shared_ptr<device_operands> operands();
  /// Works on the copies of another kernel of the same signature, if it has none and can use them; their inputs must be
  /// those of this kernel.
  virtual bool take_operands(std::shared_ptr<device_operands> const& /*from*/) { return false; }
  /// Fills the device's copies of outputs, and its workspace, with garbage that depends on `round`: elements that a
  /// kernel does not write must not hold an earlier kernel's results. For runs on host memory the caller does so.
  virtual void poison(int /*round*/) {}
  /// Like `run` of main on the inputs that the device has: those of the last run, or taken ones. Results may be copied
  /// to host memory only by `copy_results`.
  virtual double run_again(void* const* operands, std::int64_t calls, bool cold) {
    return run(entry::main, operands, calls, cold);
  }
  /// Copies the results of the last run to host memory, if they are not there.
  virtual void copy_results(void* const* /*operands*/) {}
};

/// Loads an image; the caller owns the result. Throws backend_error or record_error.
using device_loader = device_code* (*)(kernel_image const& image);

/// Compiles a text for a device: reads a request, writes an answer. Both are in a form of the device's backend.
using text_compiler = void (*)(byte_source& request, byte_sink& answer);

/// Returns the compiler for a device; null if this program has no backend with one.
[[nodiscard]] text_compiler find_text_compiler(std::string_view device) noexcept;
/// Returns the loader for a device (a name as in kernel_image::device); null if this program has no backend for it.
[[nodiscard]] device_loader find_device_loader(std::string_view device) noexcept;

}}  // namespace ttune::v0

extern "C" {
__attribute__((weak)) ttune::device_code* ttune_v0_load_opencl(ttune::kernel_image const& image);
__attribute__((weak)) ttune::device_code* ttune_v0_load_cuda(ttune::kernel_image const& image);
__attribute__((weak)) void ttune_v0_compile_cuda(ttune::byte_source& request, ttune::byte_sink& answer);
}
