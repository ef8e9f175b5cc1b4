// SPDX-License-Identifier: Apache-2.0
// A loaded kernel: the loaded form of an image for an OpenCL device.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "ttune/backends/opencl/compiler.hpp"
#include "ttune/runtime/device_code.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

/// Operands are in host memory. A device that shares host memory uses them in place; for other devices they are copied,
/// and the copies are not timed. Calls from several threads run one after the other.
class device_kernel final : public device_code {
 public:
  /// Throws backend_error if the device does not exist or the kernel cannot be built for it.
  explicit device_kernel(kernel_image const& image);
  double run(entry what, void* const* operands, std::int64_t calls, bool cold) override;

 private:
  struct launch {
    cl::Kernel kernel;
    codegen::device_launch grid;
  };
  struct argument {
    cl::Buffer memory;
    void* host = nullptr;
    std::size_t bytes = 0;
    bool is_read = false;
    bool is_written = false;
  };
  /// The arguments of a call, and the host pointers that they were made for.
  struct call_arguments {
    std::vector<void*> hosts;
    std::vector<argument> all;
  };
  void add(std::vector<codegen::device_launch> const& grids, std::vector<launch>& launches);
  /// Makes drivers compile that would do it at the first launch, so that no timed run includes a compilation.
  void compile_all(std::vector<launch> const& launches) const;
  /// Transfers and binds the arguments; reuses those of the last call if the pointers are equal.
  [[nodiscard]] std::vector<argument> const& lend_all(entry what, void* const* operands);
  void bind(launch const& l, std::vector<argument> const& arguments) const;
  [[nodiscard]] double timed(std::vector<launch> const& launches, std::int64_t calls) const;
  void flush_caches();
  void enqueue(std::vector<launch> const& launches) const;
  [[nodiscard]] argument lend(void* host, std::int64_t bytes, bool is_read, bool is_written) const;
  void copy_out(argument const& a) const;

  kernel_signature signature_;
  std::unique_ptr<session> session_;
  cl::Program program_;
  std::vector<bool> written_;
  std::vector<launch> prepare_;
  std::vector<launch> main_;
  cl::Buffer workspace_;
  cl::Buffer flush_;                    ///< created at its first use
  std::array<call_arguments, 2> last_;  ///< arguments of the last call of each entry
  std::mutex one_at_a_time_;
};

}}}  // namespace ttune::v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/device_kernel.inl.hpp"
#endif
