// SPDX-License-Identifier: Apache-2.0
// A loaded kernel whose operands live on the device: what an application calls that has its data there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttune/backends/cuda/device.hpp"
#include "ttune/emit/device_program.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune::inline v0::cuda {

/// Made of the image of a tuned kernel (`tuner.tune(op.program()).image`). Lives in the device's primary context, which
/// is the one of the runtime API. Pointers may be of cuMemAlloc, cudaMalloc or managed memory, at the start of 16
/// bytes; streams are CUstream or cudaStream_t, null is the default one. Used by one thread at a time. What it enqueues
/// may be captured into a graph of the application's. A kernel with scratch memory (`workspace_bytes`) must not run on
/// two streams at once.
class resident_kernel {
 public:
  /// Throws backend_error if there is no such device or the driver does not take the kernel.
  explicit resident_kernel(kernel_image const& image);
  resident_kernel(resident_kernel const&) = delete;
  resident_kernel& operator=(resident_kernel const&) = delete;
  ~resident_kernel();

  [[nodiscard]] kernel_signature const& signature() const noexcept { return signature_; }
  /// Lays out the constants: needed before the first call of a kernel whose signature has prepared buffers, and again
  /// when a constant has changed. Operands in the order of the signature; only constants are read.
  void prepare(std::span<device_pointer const> operands, void* on_stream = nullptr);
  /// Puts the launches of a call on a stream, and returns. Throws argument_error for too few operands.
  void enqueue(std::span<device_pointer const> operands, void* on_stream = nullptr);
  [[nodiscard]] std::int64_t workspace_bytes() const noexcept { return static_cast<std::int64_t>(workspace_bytes_); }

 private:
  friend class device_kernel;
  struct launch {
    function kernel = nullptr;
    emit::device_launch grid;
  };
  void load_module(std::vector<std::uint8_t> const& compiled);
  void release() noexcept;
  void add(std::vector<emit::device_launch> const& grids, std::vector<launch>& launches);
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

}  // namespace ttune::inline v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/resident_kernel.inl.hpp"
#endif
