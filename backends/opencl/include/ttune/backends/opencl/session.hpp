// SPDX-License-Identifier: Apache-2.0
// A device ready for use: context, queue, programs.
#pragma once

#include <optional>
#include <string>

#include "ttune/backends/opencl/device.hpp"
#include "ttune/emit/device_image.hpp"

namespace ttune::inline v0::opencl {

class session {
 public:
  /// Throws backend_error if the device cannot be used.
  explicit session(device_info d);

  [[nodiscard]] opencl::device_info const& device() const noexcept { return device_; }
  [[nodiscard]] cl_context context() const noexcept { return context_.get(); }
  [[nodiscard]] cl_command_queue queue() const noexcept { return queue_.get(); }

  /// Null if it does not compile: then `log` says why.
  [[nodiscard]] program_owner build(std::string const& source, std::string& log) const;
  /// Null if the driver does not want it any more.
  [[nodiscard]] program_owner load(emit::device_payload const& p) const;
  /// What the driver made of a program that was built; empty if it does not say.
  [[nodiscard]] std::vector<std::uint8_t> binary_of(cl_program p) const;

 private:
  /// Those that give the arithmetic of ir/README.md.
  [[nodiscard]] std::string options() const;
  [[nodiscard]] std::string log_of(cl_program p) const;

  opencl::device_info device_;
  context_owner context_;
  queue_owner queue_;
};

}  // namespace ttune::inline v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/session.inl.hpp"
#endif
