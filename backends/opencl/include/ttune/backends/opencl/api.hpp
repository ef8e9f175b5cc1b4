// SPDX-License-Identifier: Apache-2.0
// OpenCL's C++ bindings, which throw cl::Error, and the conversion of their errors.
#pragma once

#include <string>
#include <utility>

#include "ttune/backends/opencl/bindings.hpp"
#include "ttune/runtime/device_code.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

/// Returns true for errors after which a context is unusable. GPU drivers report an illegal address in this way, too.
[[nodiscard]] constexpr bool is_lasting(cl_int code) noexcept {
  return code == CL_DEVICE_NOT_AVAILABLE || code == CL_OUT_OF_RESOURCES || code == CL_INVALID_COMMAND_QUEUE ||
         code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}
[[nodiscard]] constexpr bool is_for_memory(cl_int code) noexcept {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

/// Makes an exception that names the function and the error number of cl.h.
[[nodiscard]] inline device_failure failure_of(cl::Error const& e) {
  auto const code = e.err();
  return {std::string("OpenCL: ") + e.what() + " failed with " + std::to_string(code) +
              (is_for_memory(code) ? ": the device has no memory for it" : ""),
          is_lasting(code)      ? trial_status::crashed
          : is_for_memory(code) ? trial_status::out_of_memory
                                : trial_status::unsupported,
          is_lasting(code)};
}

/// Returns the result of `work`. Throws device_failure if the bindings throw cl::Error.
template <class Work>
decltype(auto) checked(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (cl::Error const& e) {
    throw failure_of(e);
  }
}

}}}  // namespace ttune::v0::opencl
