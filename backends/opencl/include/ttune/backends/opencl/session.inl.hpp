// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/backends/opencl/session.hpp"

namespace ttune::inline v0::opencl {

TTUNE_INLINE session::session(device_info d) : device_(std::move(d)) {
  cl_int code = CL_SUCCESS;
  cl_context_properties const properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(device_.platform), 0};
  context_.reset(clCreateContext(properties, 1, &device_.id, nullptr, nullptr, &code));
  check(code, "clCreateContext");
  queue_.reset(clCreateCommandQueue(context_.get(), device_.id, 0, &code));
  check(code, "clCreateCommandQueue");
}

TTUNE_INLINE std::string session::options() const {
  return std::string("-cl-std=CL1.2 -w") + (device_.divides_exactly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
}

TTUNE_INLINE std::string session::log_of(cl_program p) const {
  std::size_t size = 0;
  if (clGetProgramBuildInfo(p, device_.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS || size < 2)
    return "no diagnostics";
  std::string text(size, '\0');
  (void)clGetProgramBuildInfo(p, device_.id, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

TTUNE_INLINE program_owner session::build(std::string const& source, std::string& log) const {
  auto const* text = source.c_str();
  auto const size = source.size();
  cl_int code = CL_SUCCESS;
  program_owner made(clCreateProgramWithSource(context(), 1, &text, &size, &code));
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(made.get(), 1, &device_.id, options().c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return made;
  log = log_of(made.get());
  return {};
}

TTUNE_INLINE program_owner session::load(emit::device_payload const& p) const {
  if (p.binary.empty() || p.device != device_.identity()) return {};
  auto const size = p.binary.size();
  unsigned char const* bytes = p.binary.data();
  cl_int status = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  program_owner made(clCreateProgramWithBinary(context(), 1, &device_.id, &size, &bytes, &status, &code));
  if (code != CL_SUCCESS || status != CL_SUCCESS) return {};
  if (clBuildProgram(made.get(), 1, &device_.id, options().c_str(), nullptr, nullptr) != CL_SUCCESS) return {};
  return made;
}

TTUNE_INLINE std::vector<std::uint8_t> session::binary_of(cl_program p) const {
  std::size_t size = 0;
  if (clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS || size == 0) return {};
  std::vector<std::uint8_t> made(size);
  auto* at = made.data();
  if (clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof at, &at, nullptr) != CL_SUCCESS) return {};
  return made;
}

}  // namespace ttune::inline v0::opencl
