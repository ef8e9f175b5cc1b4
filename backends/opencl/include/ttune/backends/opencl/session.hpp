// SPDX-License-Identifier: Apache-2.0
// A device ready for use: context and queue.
#pragma once

#include "ttune/backends/opencl/device.hpp"

namespace ttune::inline v0::opencl {

class session {
 public:
  /// Throws backend_error if the device cannot be used.
  explicit session(device_info d);

  [[nodiscard]] opencl::device_info const& device() const noexcept { return device_; }
  [[nodiscard]] cl_context context() const noexcept { return context_; }
  [[nodiscard]] cl_command_queue queue() const noexcept { return queue_.get(); }
  /// Buffers made of host memory are that memory: either side sees at once what the other one wrote.
  [[nodiscard]] bool works_in_place() const noexcept { return in_place_; }

 private:
  struct shared {
    context_owner context;
    bool in_place = false;
  };
  [[nodiscard]] static context_owner made_context(opencl::device_info const& d);
  /// One a CPU and process, kept to its end: PoCL reads its library of functions anew in each context, 0.6 s. A fault
  /// of another device may spoil a context.
  [[nodiscard]] static shared const& shared_by_all(opencl::device_info const& d);
  /// Tried out, at an address that is aligned to nothing: the standard lets drivers copy.
  [[nodiscard]] static bool finds_in_place(cl_context in, cl_device_id d);

  opencl::device_info device_;
  context_owner own_context_;  ///< of devices that are no CPUs
  cl_context context_ = nullptr;
  bool in_place_ = false;
  queue_owner queue_;
};

}  // namespace ttune::inline v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/session.inl.hpp"
#endif
