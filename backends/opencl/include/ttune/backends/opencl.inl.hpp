// SPDX-License-Identifier: Apache-2.0
// From a lowered program to an image: emits the text; optionally adds the driver's binary.
#pragma once

#include <chrono>
#include <exception>
#include <utility>

#include "ttune/backends/opencl.hpp"
#include "ttune/codegen/device_image.hpp"
#include "ttune/codegen/opencl.hpp"

namespace ttune { inline namespace v0 {

opencl_backend::opencl_backend(opencl_options options) : options_(options) {
  auto all = opencl::devices();
  if (all.empty()) failure_ = opencl::why_no_devices();
  else device_ = std::move(all[0]);
  target_ = opencl::target_of(device_);
}

opencl_backend::opencl_backend(opencl::device_info d, opencl_options options)
    : device_(std::move(d)), options_(options), target_(opencl::target_of(device_)) {}

std::string opencl_backend::name() const {
  return "opencl (" + (device_.name.empty() ? "no device" : device_.name) + ")";
}

ttune::availability opencl_backend::availability() const { return {failure_.empty(), failure_}; }

std::string opencl_backend::source(ir::lowered const& program, kernel_signature const&) const {
  return codegen::opencl(program, target_).source;
}

std::string opencl_backend::refusal(codegen::device_program const& program, kernel_signature const& signature) const {
  for (auto const* launches : {&program.prepare, &program.main})
    for (auto const& l : *launches) {
      if (l.group_size() > device_.group_threads)
        return l.kernel + " has work-groups of " + std::to_string(l.group_size()) + " items, the device takes " +
               std::to_string(device_.group_threads);
      for (std::size_t d = 0; d < 3; ++d)
        if (l.threads[d] > device_.thread_limits[d])
          return l.kernel + " has " + std::to_string(l.threads[d]) + " items in direction " + std::to_string(d) +
                 ", the device takes " + std::to_string(device_.thread_limits[d]);
      if (l.group_bytes > device_.group_bytes)
        return l.kernel + " wants " + std::to_string(l.group_bytes) + " bytes of local memory, the device has " +
               std::to_string(device_.group_bytes);
    }
  std::int64_t largest = program.workspace_bytes;
  for (auto const& o : signature.operands) largest = std::max(largest, o.bytes());
  if (largest > device_.buffer_bytes)
    return "a buffer of " + std::to_string(largest) + " bytes is larger than any that the device gives (" +
           std::to_string(device_.buffer_bytes) + ")";
  if (!device_.has_doubles && program.source.find("cl_khr_fp64") != std::string::npos) return "the device has no f64";
  return {};
}

std::vector<std::uint8_t> opencl_backend::binary_of(std::string const& source, std::string& diagnostics) {
  if (!session_) session_ = std::make_unique<opencl::session>(device_);
  auto const built = opencl::compile(*session_, source, diagnostics);
  return built ? opencl::binary_of(*built) : std::vector<std::uint8_t>();
}

compile_result opencl_backend::compile(ir::lowered const& program, kernel_signature signature) {
  auto const start = std::chrono::steady_clock::now();
  compile_result result;
  try {
    if (!failure_.empty()) throw backend_error(failure_);
    codegen::device_payload made;
    made.program = codegen::opencl(program, target_);
    result.diagnostics = refusal(made.program, signature);
    made.device = device_.identity();
    if (result.diagnostics.empty() && options_.ahead) made.binary = binary_of(made.program.source, result.diagnostics);
    if (result.diagnostics.empty())
      result.image = codegen::make_device_image(made, program, std::move(signature), target_, "opencl");
  } catch (std::exception const& failure) {
    result.diagnostics = failure.what();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}}  // namespace ttune::v0

/// Loads images for OpenCL devices; `load` finds this function if the program includes this header
/// (runtime/device_code.hpp).
extern "C" __attribute__((weak, used)) ttune::device_code* ttune_v0_load_opencl(ttune::kernel_image const& image) {
  return new ttune::opencl::device_kernel(image);
}
