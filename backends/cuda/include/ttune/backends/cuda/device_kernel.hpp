// SPDX-License-Identifier: Apache-2.0
// A loaded kernel that is called with host memory: the loaded form of an image for an NVIDIA GPU. Trials time this
// form.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ttune/backends/cuda/operand_memory.hpp"
#include "ttune/backends/cuda/resident_kernel.hpp"
#include "ttune/runtime/device_code.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

/// Operands are in host memory and are copied to the device and back. Runs are timed by events, without the copies.
/// Many consecutive runs form a graph, so that the time of a short kernel does not consist of launch overhead. Calls
/// from several threads run one after the other. An error caused by a kernel makes the device unusable for this
/// process: such kernels are detected in the worker, which is then started again.
class device_kernel final : public device_code {
 public:
  /// Throws backend_error if the device does not exist or the driver refuses the kernel.
  explicit device_kernel(kernel_image const& image);
  ~device_kernel() override;
  double run(entry what, void* const* operands, std::int64_t calls, bool cold) override;
  void poison(int round) override;
  double run_again(void* const* operands, std::int64_t calls, bool cold) override;
  void copy_results(void* const* operands) override;
  [[nodiscard]] bool copies_operands() const noexcept override { return true; }
  [[nodiscard]] std::shared_ptr<device_operands> operands() override;
  bool take_operands(std::shared_ptr<device_operands> const& from) override;

 private:
  static constexpr std::int64_t graph_calls = 16;
  using memory = operand_memory::buffer;
  void make();
  operand_memory& own_operands();
  void use(std::shared_ptr<operand_memory> operands);
  void release() noexcept;
  void enqueue(entry what, std::int64_t calls);
  [[nodiscard]] graph_instance graph_of_calls();
  [[nodiscard]] double timed(entry what, std::int64_t calls);
  [[nodiscard]] double timed_cold(std::int64_t calls);
  [[nodiscard]] double timed(entry what, std::int64_t calls, bool cold) {
    return cold && what == entry::main ? timed_cold(calls) : timed(what, calls);
  }
  /// Returns the operands' device memory, then that of the prepared buffers.
  [[nodiscard]] std::vector<memory> all_buffers();
  void copy_out(entry what, void* const* operands);
  [[nodiscard]] bool is_copied_in(std::size_t buffer, entry what) const;
  [[nodiscard]] bool is_copied_out(std::size_t buffer, entry what) const;

  resident_kernel kernel_;
  stream stream_ = nullptr;
  event start_ = nullptr;
  event stop_ = nullptr;
  graph_instance graph_ = nullptr;            ///< graph of graph_calls calls, created at its first use
  std::shared_ptr<operand_memory> operands_;  ///< allocated at its first use
  std::vector<device_pointer> pointers_;      ///< the same operands
  memory flush_;                              ///< twice the size of the L2 cache, created at its first use
  std::mutex one_at_a_time_;
};

}}}  // namespace ttune::v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/device_kernel.inl.hpp"
#endif
