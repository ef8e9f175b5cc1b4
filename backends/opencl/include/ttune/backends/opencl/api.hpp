// SPDX-License-Identifier: Apache-2.0
// The only file that includes OpenCL: its C API, with owners for what has to be released. The ICD loader is opened when
// its first function is called: a program starts, and says why there are no devices, where it is not installed. (The
// C++ bindings call the loader's symbols from inline functions: a program that includes them cannot start without it.)
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>

#include "ttune/runtime/device_code.hpp"
#include "ttune/support/shared_library.hpp"

namespace ttune::inline v0::opencl {

/// TTUNE_OPENCL_LIBRARY in the environment comes first.
inline shared_library const& icd_loader() {
  static shared_library const one = [] {
    auto const* const named = std::getenv("TTUNE_OPENCL_LIBRARY");
    return shared_library({named ? named : "", "libOpenCL.so.1"});
  }();
  return one;
}

// Each hides the function of the C header that it is named after.
#define TTUNE_OPENCL_FUNCTION(name) inline constexpr detail::lazy_function<&icd_loader, #name, decltype(::name)> name{};
TTUNE_OPENCL_FUNCTION(clBuildProgram)
TTUNE_OPENCL_FUNCTION(clCreateBuffer)
TTUNE_OPENCL_FUNCTION(clCreateCommandQueue)
TTUNE_OPENCL_FUNCTION(clCreateContext)
TTUNE_OPENCL_FUNCTION(clCreateKernel)
TTUNE_OPENCL_FUNCTION(clCreateProgramWithBinary)
TTUNE_OPENCL_FUNCTION(clCreateProgramWithSource)
TTUNE_OPENCL_FUNCTION(clEnqueueMapBuffer)
TTUNE_OPENCL_FUNCTION(clEnqueueNDRangeKernel)
TTUNE_OPENCL_FUNCTION(clEnqueueFillBuffer)
TTUNE_OPENCL_FUNCTION(clEnqueueReadBuffer)
TTUNE_OPENCL_FUNCTION(clEnqueueUnmapMemObject)
TTUNE_OPENCL_FUNCTION(clEnqueueWriteBuffer)
TTUNE_OPENCL_FUNCTION(clFinish)
TTUNE_OPENCL_FUNCTION(clGetDeviceIDs)
TTUNE_OPENCL_FUNCTION(clGetDeviceInfo)
TTUNE_OPENCL_FUNCTION(clGetPlatformIDs)
TTUNE_OPENCL_FUNCTION(clGetPlatformInfo)
TTUNE_OPENCL_FUNCTION(clGetProgramBuildInfo)
TTUNE_OPENCL_FUNCTION(clGetProgramInfo)
TTUNE_OPENCL_FUNCTION(clReleaseCommandQueue)
TTUNE_OPENCL_FUNCTION(clReleaseContext)
TTUNE_OPENCL_FUNCTION(clReleaseKernel)
TTUNE_OPENCL_FUNCTION(clReleaseMemObject)
TTUNE_OPENCL_FUNCTION(clReleaseProgram)
TTUNE_OPENCL_FUNCTION(clSetKernelArg)
#undef TTUNE_OPENCL_FUNCTION

struct release {
  void operator()(cl_context c) const { clReleaseContext(c); }
  void operator()(cl_command_queue q) const { clReleaseCommandQueue(q); }
  void operator()(cl_program p) const { clReleaseProgram(p); }
  void operator()(cl_kernel k) const { clReleaseKernel(k); }
  void operator()(cl_mem m) const { clReleaseMemObject(m); }
};
template <class Handle>
using owner = std::unique_ptr<std::remove_pointer_t<Handle>, release>;
using context_owner = owner<cl_context>;
using queue_owner = owner<cl_command_queue>;
using program_owner = owner<cl_program>;
using kernel_owner = owner<cl_kernel>;
using memory_owner = owner<cl_mem>;

/// After which a context can do nothing more. Drivers of GPUs answer so to an illegal address, too.
[[nodiscard]] constexpr bool is_lasting(cl_int code) noexcept {
  return code == CL_DEVICE_NOT_AVAILABLE || code == CL_OUT_OF_RESOURCES || code == CL_INVALID_COMMAND_QUEUE ||
         code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}
[[nodiscard]] constexpr bool is_for_memory(cl_int code) noexcept {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

/// Throws device_failure naming the function and the error, which cl.h spells out.
inline void check(cl_int code, char const* function) {
  if (code == CL_SUCCESS) return;
  throw device_failure(std::string("OpenCL: ") + function + " failed with " + std::to_string(code) +
                           (is_for_memory(code) ? ": the device has no memory for it" : ""),
                       is_lasting(code)      ? trial_status::crashed
                       : is_for_memory(code) ? trial_status::out_of_memory
                                             : trial_status::unsupported,
                       is_lasting(code));
}

}  // namespace ttune::inline v0::opencl
