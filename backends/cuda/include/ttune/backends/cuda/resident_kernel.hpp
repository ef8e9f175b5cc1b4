// SPDX-License-Identifier: Apache-2.0
// A loaded kernel with operands in device memory, for applications whose data is there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttune/backends/cuda/device.hpp"
#include "ttune/codegen/device_program.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

/// Runs the image of a tuned kernel (`tuner.tune(op.program()).image`) on device memory. It uses the device's primary
/// context, which the runtime API uses, too. Pointers may come from cuMemAlloc, cudaMalloc or managed memory and must
/// be aligned to 16 bytes; streams are CUstream or cudaStream_t, null is the default stream. Not thread-safe. The
/// enqueued work may be captured into a graph of the application. A kernel with scratch memory (`workspace_bytes`) must
/// not run on two streams at once.
class resident_kernel {
 public:
  /// Throws backend_error if the device does not exist or the driver refuses the kernel.
  explicit resident_kernel(kernel_image const& image);
  resident_kernel(resident_kernel const&) = delete;
  resident_kernel& operator=(resident_kernel const&) = delete;
  ~resident_kernel();

  [[nodiscard]] kernel_signature const& signature() const noexcept { return signature_; }
  /// Lays out the constants. Required before the first call of a kernel whose signature has prepared buffers, and again
  /// after a constant has changed. Operands are in the order of the signature; only constants are read.
  void prepare(std::span<device_pointer const> operands, void* on_stream = nullptr);
  /// Enqueues the launches of one call on a stream, and returns. Throws argument_error for too few operands.
  void enqueue(std::span<device_pointer const> operands, void* on_stream = nullptr);
  [[nodiscard]] std::int64_t workspace_bytes() const noexcept { return static_cast<std::int64_t>(workspace_bytes_); }

 private:
  friend class device_kernel;
  struct launch {
    function kernel = nullptr;
    codegen::device_launch grid;
  };
  void load_module(std::vector<std::uint8_t> const& compiled);
  void release() noexcept;
  void add(std::vector<codegen::device_launch> const& grids, std::vector<launch>& launches);
  void put(std::vector<launch> const& launches, std::span<device_pointer const> operands, stream on);
  [[nodiscard]] device_pointer allocate(std::int64_t bytes);

  kernel_signature signature_;
  std::vector<bool> written_;
  device_info info_;
  int device_ = 0;
  context context_ = nullptr;
  module module_ = nullptr;
  std::vector<launch> prepare_;
  std::vector<launch> main_;
  std::vector<device_pointer> prepared_;
  device_pointer workspace_ = 0;
  std::int64_t workspace_bytes_ = 0;
};

}}}  // namespace ttune::v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/resident_kernel.inl.hpp"
#endif
