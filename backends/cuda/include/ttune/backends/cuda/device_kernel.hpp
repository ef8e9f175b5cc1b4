// SPDX-License-Identifier: Apache-2.0
// A loaded kernel: what an image for an NVIDIA GPU becomes.
#pragma once

#include <mutex>
#include <vector>

#include "ttune/backends/cuda/device.hpp"
#include "ttune/emit/device_program.hpp"
#include "ttune/runtime/device_code.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune::inline v0::cuda {

/// Operands are host memory and are copied to the device and back; the copies are not timed, runs are, by events. Calls
/// from several threads run one after the other. An error that a kernel leaves behind ends all use of the device by
/// this process: such kernels are found in the worker, which then is started again.
class device_kernel final : public device_code {
 public:
  /// Throws backend_error if there is no such device or the driver does not take the kernel.
  explicit device_kernel(kernel_image const& image);
  ~device_kernel() override;
  double run(entry what, void* const* operands, std::int64_t calls) override;

 private:
  struct launch {
    function kernel = nullptr;
    emit::device_launch grid;
  };
  /// Memory of the device, kept between calls.
  struct memory {
    device_pointer at = 0;
    std::size_t bytes = 0;
  };
  void release() noexcept;
  void add(std::vector<emit::device_launch> const& grids, std::vector<launch>& launches);
  void enqueue(std::vector<launch> const& launches);
  [[nodiscard]] bool is_copied_in(std::size_t buffer, entry what) const;
  [[nodiscard]] bool is_copied_out(std::size_t buffer, entry what) const;

  kernel_signature signature_;
  std::vector<bool> written_;
  int device_ = 0;
  context context_ = nullptr;
  module module_ = nullptr;
  event start_ = nullptr;
  event stop_ = nullptr;
  std::vector<launch> prepare_;
  std::vector<launch> main_;
  std::vector<memory> buffers_;  ///< operands, prepared buffers, the workspace
  std::mutex one_at_a_time_;
};

}  // namespace ttune::inline v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/device_kernel.inl.hpp"
#endif
