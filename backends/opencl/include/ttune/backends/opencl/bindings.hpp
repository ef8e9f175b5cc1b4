// SPDX-License-Identifier: Apache-2.0
// The only file that includes OpenCL: its C++ bindings (OpenCL-CLHPP), as `opencl::cl`. The bindings call symbols of
// the ICD loader from inline functions, so that a program with them could not start on machines without a loader. Here
// they call functions that are looked up at their first call, in a separate namespace: the application's own use of the
// same header, with other settings, is not affected.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300  // version of the declarations; functions newer than 1.2 are not called
#endif
#include <CL/opencl.h>

// All headers that the bindings include, before macros change names for the bindings.
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ttune/support/shared_library.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

/// Opens the ICD loader; the environment variable TTUNE_OPENCL_LIBRARY has priority.
inline shared_library const& icd_loader() {
  static shared_library const one = [] {
    auto const* const named = std::getenv("TTUNE_OPENCL_LIBRARY");
    return shared_library({named ? named : "", "libOpenCL.so.1"});
  }();
  return one;
}

}}}  // namespace ttune::v0::opencl

// The bindings call ::clFinish and the like, so each function needs a global name. A missing one causes a link error.
#define TTUNE_OPENCL_FUNCTION(name)        \
  inline constexpr auto& ttune_v0_##name = \
      ttune::detail::lazy_function<&ttune::opencl::icd_loader, #name, decltype(::name)>::call;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TTUNE_OPENCL_FUNCTION(clBuildProgram)
#define clBuildProgram ttune_v0_clBuildProgram
TTUNE_OPENCL_FUNCTION(clCreateBuffer)
#define clCreateBuffer ttune_v0_clCreateBuffer
TTUNE_OPENCL_FUNCTION(clCreateCommandQueue)
#define clCreateCommandQueue ttune_v0_clCreateCommandQueue
TTUNE_OPENCL_FUNCTION(clCreateContext)
#define clCreateContext ttune_v0_clCreateContext
TTUNE_OPENCL_FUNCTION(clCreateKernel)
#define clCreateKernel ttune_v0_clCreateKernel
TTUNE_OPENCL_FUNCTION(clCreateProgramWithBinary)
#define clCreateProgramWithBinary ttune_v0_clCreateProgramWithBinary
TTUNE_OPENCL_FUNCTION(clCreateProgramWithSource)
#define clCreateProgramWithSource ttune_v0_clCreateProgramWithSource
TTUNE_OPENCL_FUNCTION(clEnqueueFillBuffer)
#define clEnqueueFillBuffer ttune_v0_clEnqueueFillBuffer
TTUNE_OPENCL_FUNCTION(clEnqueueMapBuffer)
#define clEnqueueMapBuffer ttune_v0_clEnqueueMapBuffer
TTUNE_OPENCL_FUNCTION(clEnqueueNDRangeKernel)
#define clEnqueueNDRangeKernel ttune_v0_clEnqueueNDRangeKernel
TTUNE_OPENCL_FUNCTION(clEnqueueReadBuffer)
#define clEnqueueReadBuffer ttune_v0_clEnqueueReadBuffer
TTUNE_OPENCL_FUNCTION(clEnqueueUnmapMemObject)
#define clEnqueueUnmapMemObject ttune_v0_clEnqueueUnmapMemObject
TTUNE_OPENCL_FUNCTION(clEnqueueWriteBuffer)
#define clEnqueueWriteBuffer ttune_v0_clEnqueueWriteBuffer
TTUNE_OPENCL_FUNCTION(clFinish)
#define clFinish ttune_v0_clFinish
TTUNE_OPENCL_FUNCTION(clGetDeviceIDs)
#define clGetDeviceIDs ttune_v0_clGetDeviceIDs
TTUNE_OPENCL_FUNCTION(clGetDeviceInfo)
#define clGetDeviceInfo ttune_v0_clGetDeviceInfo
TTUNE_OPENCL_FUNCTION(clGetPlatformIDs)
#define clGetPlatformIDs ttune_v0_clGetPlatformIDs
TTUNE_OPENCL_FUNCTION(clGetPlatformInfo)
#define clGetPlatformInfo ttune_v0_clGetPlatformInfo
TTUNE_OPENCL_FUNCTION(clGetProgramBuildInfo)
#define clGetProgramBuildInfo ttune_v0_clGetProgramBuildInfo
TTUNE_OPENCL_FUNCTION(clGetProgramInfo)
#define clGetProgramInfo ttune_v0_clGetProgramInfo
TTUNE_OPENCL_FUNCTION(clReleaseCommandQueue)
#define clReleaseCommandQueue ttune_v0_clReleaseCommandQueue
TTUNE_OPENCL_FUNCTION(clReleaseContext)
#define clReleaseContext ttune_v0_clReleaseContext
TTUNE_OPENCL_FUNCTION(clReleaseDevice)
#define clReleaseDevice ttune_v0_clReleaseDevice
TTUNE_OPENCL_FUNCTION(clReleaseEvent)
#define clReleaseEvent ttune_v0_clReleaseEvent
TTUNE_OPENCL_FUNCTION(clReleaseKernel)
#define clReleaseKernel ttune_v0_clReleaseKernel
TTUNE_OPENCL_FUNCTION(clReleaseMemObject)
#define clReleaseMemObject ttune_v0_clReleaseMemObject
TTUNE_OPENCL_FUNCTION(clReleaseProgram)
#define clReleaseProgram ttune_v0_clReleaseProgram
TTUNE_OPENCL_FUNCTION(clRetainCommandQueue)
#define clRetainCommandQueue ttune_v0_clRetainCommandQueue
TTUNE_OPENCL_FUNCTION(clRetainContext)
#define clRetainContext ttune_v0_clRetainContext
TTUNE_OPENCL_FUNCTION(clRetainDevice)
#define clRetainDevice ttune_v0_clRetainDevice
TTUNE_OPENCL_FUNCTION(clRetainKernel)
#define clRetainKernel ttune_v0_clRetainKernel
TTUNE_OPENCL_FUNCTION(clRetainMemObject)
#define clRetainMemObject ttune_v0_clRetainMemObject
TTUNE_OPENCL_FUNCTION(clRetainProgram)
#define clRetainProgram ttune_v0_clRetainProgram
TTUNE_OPENCL_FUNCTION(clSetKernelArg)
#define clSetKernelArg ttune_v0_clSetKernelArg
#pragma GCC diagnostic pop
#undef TTUNE_OPENCL_FUNCTION

#pragma push_macro("cl")
#pragma push_macro("CL_HPP_")
#pragma push_macro("CL_HPP_TARGET_OPENCL_VERSION")
#pragma push_macro("CL_HPP_MINIMUM_OPENCL_VERSION")
#pragma push_macro("CL_HPP_ENABLE_EXCEPTIONS")
#undef CL_HPP_
#undef CL_HPP_TARGET_OPENCL_VERSION
#undef CL_HPP_MINIMUM_OPENCL_VERSION
#undef CL_HPP_ENABLE_EXCEPTIONS
#define cl ttune_v0_opencl_bindings
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#pragma pop_macro("CL_HPP_ENABLE_EXCEPTIONS")
#pragma pop_macro("CL_HPP_MINIMUM_OPENCL_VERSION")
#pragma pop_macro("CL_HPP_TARGET_OPENCL_VERSION")
#pragma pop_macro("CL_HPP_")
#pragma pop_macro("cl")
#undef clBuildProgram
#undef clCreateBuffer
#undef clCreateCommandQueue
#undef clCreateContext
#undef clCreateKernel
#undef clCreateProgramWithBinary
#undef clCreateProgramWithSource
#undef clEnqueueFillBuffer
#undef clEnqueueMapBuffer
#undef clEnqueueNDRangeKernel
#undef clEnqueueReadBuffer
#undef clEnqueueUnmapMemObject
#undef clEnqueueWriteBuffer
#undef clFinish
#undef clGetDeviceIDs
#undef clGetDeviceInfo
#undef clGetPlatformIDs
#undef clGetPlatformInfo
#undef clGetProgramBuildInfo
#undef clGetProgramInfo
#undef clReleaseCommandQueue
#undef clReleaseContext
#undef clReleaseDevice
#undef clReleaseEvent
#undef clReleaseKernel
#undef clReleaseMemObject
#undef clReleaseProgram
#undef clRetainCommandQueue
#undef clRetainContext
#undef clRetainDevice
#undef clRetainKernel
#undef clRetainMemObject
#undef clRetainProgram
#undef clSetKernelArg

namespace ttune { inline namespace v0 { namespace opencl {
namespace cl = ::ttune_v0_opencl_bindings;
}}}  // namespace ttune::v0::opencl
