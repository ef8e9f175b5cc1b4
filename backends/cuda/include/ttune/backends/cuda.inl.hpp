// SPDX-License-Identifier: Apache-2.0
// From a lowered program to an image: emits the text; NVRTC compiles it to a cubin or PTX.
#pragma once

#include <chrono>
#include <exception>
#include <utility>

#include "ttune/backends/cuda.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/codegen/device_image.hpp"

namespace ttune { inline namespace v0 {

cuda_backend::cuda_backend(cuda_options options) : options_(options) {
  auto const all = cuda::devices();
  runs_here_ = !all.empty();
  if (!runs_here_) failure_ = cuda::why_no_devices();
  target_ = all.empty() ? cuda::target_of_architecture(80) : cuda::target_of(all[0]);
}

cuda_backend::cuda_backend(cuda::device_info const& d, cuda_options options)
    : target_(cuda::target_of(d)), options_(options), runs_here_(true) {}

cuda_backend::cuda_backend(ttune::target machine, cuda_options options)
    : target_(std::move(machine)), options_(options) {
  if (cuda::architecture_of(target_) == 0)
    throw argument_error("the target \"" + target_.name + "\" is no NVIDIA GPU: its cpu is \"" + target_.cpu +
                         "\", not as sm_80");
}

std::string cuda_backend::name() const {
  auto const version = cuda::nvrtc_version();
  return "cuda (" + (version.empty() ? "no NVRTC" : "NVRTC " + version) + ", " + target_.cpu + ")";
}

ttune::availability cuda_backend::availability() const {
  if (auto const& no_compiler = cuda::nvrtc().failure(); !no_compiler.empty())
    return {false, no_compiler + "; install the CUDA toolkit, or name the library with TTUNE_NVRTC_LIBRARY"};
  if (!failure_.empty()) return {false, failure_};
  auto const too_old = runs_here_ ? cuda::why_driver_is_too_old() : std::string();
  return {too_old.empty(), too_old};
}

std::string cuda_backend::source(ir::lowered const& program, kernel_signature const&) const {
  return codegen::cuda(program, target_).source;
}

std::string cuda_backend::refusal(codegen::device_program const& program) const {
  constexpr std::int64_t grid_limits[] = {0x7fffffff, 65535, 65535};
  constexpr std::int64_t thread_limits[] = {1024, 1024, 64};
  for (auto const* launches : {&program.prepare, &program.main})
    for (auto const& l : *launches) {
      if (l.group_size() > target_.block_threads)
        return l.kernel + " has blocks of " + std::to_string(l.group_size()) + " threads, the device takes " +
               std::to_string(target_.block_threads);
      for (std::size_t d = 0; d < 3; ++d) {
        if (l.threads[d] > thread_limits[d])
          return l.kernel + " has " + std::to_string(l.threads[d]) + " threads in direction " + "xyz"[d] +
                 ", a device takes " + std::to_string(thread_limits[d]);
        if (l.groups[d] > grid_limits[d])
          return l.kernel + " has " + std::to_string(l.groups[d]) + " blocks in direction " + "xyz"[d] +
                 ", a device takes " + std::to_string(grid_limits[d]);
      }
      if (l.group_bytes > target_.block_bytes)
        return l.kernel + " wants " + std::to_string(l.group_bytes) + " bytes of shared memory, the device has " +
               std::to_string(target_.block_bytes);
    }
  return {};
}

std::unique_ptr<backend> cuda_backend::another() const {
  auto made = std::make_unique<cuda_backend>(*this);
  made->process_ = processes_->idle();
  return made;
}

compile_result cuda_backend::compile(ir::lowered const& program, kernel_signature signature) {
  auto const start = std::chrono::steady_clock::now();
  compile_result result;
  resources_.clear();
  try {
    codegen::device_payload made;
    made.program = codegen::cuda(program, target_);
    made.device = options_.portable ? cuda::portable_name(cuda::architecture_of(target_)) : target_.cpu;
    result.diagnostics = refusal(made.program);
    if (result.diagnostics.empty()) {
      auto const& text = made.program.source;
      int const architecture = cuda::architecture_of(target_);
      auto built = process_ ? cuda::compile_in(*process_, text, architecture, result.diagnostics, options_)
                            : cuda::compile(text, architecture, result.diagnostics, options_);
      if (built) {
        made.binary = std::move(built->code);
        resources_ = std::move(built->kernels);
        result.image = codegen::make_device_image(made, program, std::move(signature), target_, "cuda");
      }
    }
  } catch (std::exception const& failure) {
    result.diagnostics = failure.what();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}}  // namespace ttune::v0

/// Loads images for NVIDIA GPUs; `load` finds this function if the program includes this header
/// (runtime/device_code.hpp).
extern "C" __attribute__((weak, used)) ttune::device_code* ttune_v0_load_cuda(ttune::kernel_image const& image) {
  return new ttune::cuda::device_kernel(image);
}
/// Compiles texts in a worker process; its server finds this function in the same way.
extern "C" __attribute__((weak, used)) void ttune_v0_compile_cuda(ttune::byte_source& request,
                                                                  ttune::byte_sink& answer) {
  ttune::cuda::compile_for_parent(request, answer);
}
