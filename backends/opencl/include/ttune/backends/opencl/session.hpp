// SPDX-License-Identifier: Apache-2.0
// Context and command queue of a device.
#pragma once

#include "ttune/backends/opencl/device.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

/// A device that is ready for use.
class session {
 public:
  /// Throws device_failure if the device cannot be used.
  explicit session(device_info d);

  [[nodiscard]] opencl::device_info const& device() const noexcept { return device_; }
  [[nodiscard]] cl::Context const& context() const noexcept { return context_.made; }
  [[nodiscard]] cl::CommandQueue const& queue() const noexcept { return queue_; }
  /// Returns true if buffers made of host memory share that memory: each side sees the other side's writes at once.
  [[nodiscard]] bool works_in_place() const noexcept { return context_.in_place; }

 private:
  struct context_of_device {
    cl::Context made;
    bool in_place = false;
  };
  [[nodiscard]] static cl::Context made_context(opencl::device_info const& d);
  /// Returns the context of a CPU device, shared in the process and kept until its end: PoCL reads its function library
  /// again for each context, which takes 0.6 s. Other devices do not share contexts, because a fault may make a context
  /// unusable.
  [[nodiscard]] static context_of_device const& shared_by_all(opencl::device_info const& d);
  /// Tests if buffers share host memory, at an unaligned address: the standard allows drivers to copy.
  [[nodiscard]] static bool finds_in_place(cl::Context const& in, cl::Device const& d);

  opencl::device_info device_;
  context_of_device context_;
  cl::CommandQueue queue_;
};

}}}  // namespace ttune::v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/session.inl.hpp"
#endif
