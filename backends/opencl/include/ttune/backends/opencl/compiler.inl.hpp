// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/backends/opencl/compiler.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

namespace detail {

/// Builds a program with the options that give the arithmetic of ir/README.md.
inline void build(cl::Program const& p, std::string const& source, device_info const& d) {
  bool const newer = source.find("sub_group_") != std::string::npos;
  auto const language = !newer ? "CL1.2" : d.language >= 30 ? "CL3.0" : "CL2.0";
  auto const options =
      std::string("-cl-std=") + language + " -w" + (d.divides_exactly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
  p.build(std::vector{d.handle}, options.c_str());
}

}  // namespace detail

std::optional<cl::Program> compile(session const& in, std::string const& source, std::string& diagnostics) {
  return checked([&]() -> std::optional<cl::Program> {
    cl::Program const made(in.context(), source);
    try {
      detail::build(made, source, in.device());
      return made;
    } catch (cl::BuildError const& e) {
      for (auto const& of_device : e.getBuildLog()) diagnostics += of_device.second;
      if (diagnostics.empty()) diagnostics = "no diagnostics";
      return std::nullopt;
    }
  });
}

std::optional<cl::Program> load_binary(session const& in, codegen::device_payload const& p) {
  auto const& device = in.device();
  if (p.binary.empty() || p.device != device.identity()) return std::nullopt;
  try {
    cl::Program const made(in.context(), {device.handle}, cl::Program::Binaries{p.binary});
    detail::build(made, p.program.source, device);
    return made;
  } catch (cl::Error const&) {
    return std::nullopt;
  }
}

std::vector<std::uint8_t> binary_of(cl::Program const& p) {
  try {
    return p.getInfo<CL_PROGRAM_BINARIES>().at(0);
  } catch (std::exception const&) {
    return {};
  }
}

}}}  // namespace ttune::v0::opencl
