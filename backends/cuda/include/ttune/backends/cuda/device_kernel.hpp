// SPDX-License-Identifier: Apache-2.0
// A loaded kernel called with host memory: what an image for an NVIDIA GPU becomes when it is loaded, and what is
// timed.
#pragma once

#include <mutex>
#include <vector>

#include "ttune/backends/cuda/resident_kernel.hpp"
#include "ttune/runtime/device_code.hpp"

namespace ttune::inline v0::cuda {

/// Operands are host memory and are copied to the device and back; the copies are not timed, runs are, by events. Many
/// runs in a row are a graph, so that a short kernel is not timed by what its launches cost. Calls from several threads
/// run one after the other. An error that a kernel leaves behind ends all use of the device by this process: such
/// kernels are found in the worker, which then is started again.
class device_kernel final : public device_code {
 public:
  /// Throws backend_error if there is no such device or the driver does not take the kernel.
  explicit device_kernel(kernel_image const& image);
  ~device_kernel() override;
  double run(entry what, void* const* operands, std::int64_t calls, bool cold) override;

 private:
  static constexpr std::int64_t graph_calls = 16;
  /// Memory of the device, kept between calls.
  struct memory {
    device_pointer at = 0;
    std::size_t bytes = 0;
  };
  void make();
  void release() noexcept;
  void enqueue(entry what, std::int64_t calls);
  [[nodiscard]] graph_instance graph_of_calls();
  [[nodiscard]] double timed(entry what, std::int64_t calls);
  [[nodiscard]] double timed_cold(std::int64_t calls);
  [[nodiscard]] bool is_copied_in(std::size_t buffer, entry what) const;
  [[nodiscard]] bool is_copied_out(std::size_t buffer, entry what) const;

  resident_kernel kernel_;
  stream stream_ = nullptr;
  event start_ = nullptr;
  event stop_ = nullptr;
  graph_instance graph_ = nullptr;  ///< of graph_calls calls, made when it is first needed
  std::vector<memory> buffers_;     ///< operands
  std::vector<device_pointer> pointers_;
  memory flush_;  ///< twice the L2 cache, made when it is first needed
  std::mutex one_at_a_time_;
};

}  // namespace ttune::inline v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/device_kernel.inl.hpp"
#endif
