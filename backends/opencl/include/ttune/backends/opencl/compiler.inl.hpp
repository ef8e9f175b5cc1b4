// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/backends/opencl/compiler.hpp"

namespace ttune::inline v0::opencl {

namespace detail {

/// Those that give the arithmetic of ir/README.md.
inline std::string build_options(device_info const& d) {
  return std::string("-cl-std=CL1.2 -w") + (d.divides_exactly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
}

inline std::string log_of(cl_program p, cl_device_id d) {
  std::size_t size = 0;
  if (clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS || size < 2)
    return "no diagnostics";
  std::string text(size, '\0');
  (void)clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace detail

TTUNE_INLINE program_owner compile(session const& in, std::string const& source, std::string& diagnostics) {
  auto const& device = in.device();
  auto const* text = source.c_str();
  auto const size = source.size();
  cl_int code = CL_SUCCESS;
  program_owner made(clCreateProgramWithSource(in.context(), 1, &text, &size, &code));
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(made.get(), 1, &device.id, detail::build_options(device).c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return made;
  diagnostics = detail::log_of(made.get(), device.id);
  return {};
}

TTUNE_INLINE program_owner load_binary(session const& in, emit::device_payload const& p) {
  auto const& device = in.device();
  if (p.binary.empty() || p.device != device.identity()) return {};
  auto const size = p.binary.size();
  unsigned char const* bytes = p.binary.data();
  cl_int status = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  program_owner made(clCreateProgramWithBinary(in.context(), 1, &device.id, &size, &bytes, &status, &code));
  if (code != CL_SUCCESS || status != CL_SUCCESS) return {};
  if (clBuildProgram(made.get(), 1, &device.id, detail::build_options(device).c_str(), nullptr, nullptr) != CL_SUCCESS)
    return {};
  return made;
}

TTUNE_INLINE std::vector<std::uint8_t> binary_of(cl_program p) {
  std::size_t size = 0;
  if (clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS || size == 0) return {};
  std::vector<std::uint8_t> made(size);
  auto* at = made.data();
  if (clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof at, &at, nullptr) != CL_SUCCESS) return {};
  return made;
}

}  // namespace ttune::inline v0::opencl
