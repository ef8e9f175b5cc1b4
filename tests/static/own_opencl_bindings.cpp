// SPDX-License-Identifier: Apache-2.0
// An application with OpenCL's bindings and its own settings, before and after the library's headers: neither affects
// the other (opencl/bindings.hpp). It is only compiled, since linking would need the ICD loader.
#define CL_HPP_TARGET_OPENCL_VERSION 200
#include <CL/opencl.hpp>
#include <type_traits>

#include "ttune/backends/opencl.hpp"
#include "ttune/ttune.hpp"

#ifdef CL_HPP_ENABLE_EXCEPTIONS
#error "the library's settings show"
#endif
static_assert(CL_HPP_TARGET_OPENCL_VERSION == 200);
static_assert(!std::is_same_v<cl::Buffer, ttune::opencl::cl::Buffer>);
static_assert(std::is_same_v<cl::Buffer::cl_type, ttune::opencl::cl::Buffer::cl_type>);

inline cl_int finish(cl::CommandQueue const& q) { return clFinish(q()); }
