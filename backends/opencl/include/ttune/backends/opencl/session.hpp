// SPDX-License-Identifier: Apache-2.0
// A device ready for use: context and queue.
#pragma once

#include "ttune/backends/opencl/device.hpp"

namespace ttune::inline v0::opencl {

class session {
 public:
  /// Throws device_failure if the device cannot be used.
  explicit session(device_info d);

  [[nodiscard]] opencl::device_info const& device() const noexcept { return device_; }
  [[nodiscard]] cl::Context const& context() const noexcept { return context_.made; }
  [[nodiscard]] cl::CommandQueue const& queue() const noexcept { return queue_; }
  /// Buffers made of host memory are that memory: either side sees at once what the other one wrote.
  [[nodiscard]] bool works_in_place() const noexcept { return context_.in_place; }

 private:
  struct context_of_device {
    cl::Context made;
    bool in_place = false;
  };
  [[nodiscard]] static cl::Context made_context(opencl::device_info const& d);
  /// One a CPU and process, kept to its end: PoCL reads its library of functions anew in each context, 0.6 s. A fault
  /// of another device may spoil a context.
  [[nodiscard]] static context_of_device const& shared_by_all(opencl::device_info const& d);
  /// Tried out, at an address that is aligned to nothing: the standard lets drivers copy.
  [[nodiscard]] static bool finds_in_place(cl::Context const& in, cl::Device const& d);

  opencl::device_info device_;
  context_of_device context_;
  cl::CommandQueue queue_;
};

}  // namespace ttune::inline v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/session.inl.hpp"
#endif
