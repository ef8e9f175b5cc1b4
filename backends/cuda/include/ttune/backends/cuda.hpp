// SPDX-License-Identifier: Apache-2.0
// The backend for NVIDIA GPUs: emits CUDA C++, NVRTC compiles it, the driver runs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ttune/backends/cuda/compiler.hpp"
#include "ttune/backends/cuda/device_kernel.hpp"
#include "ttune/backends/cuda/remote_compiler.hpp"
#include "ttune/runtime/backend.hpp"

namespace ttune { inline namespace v0 {

using cuda_options = cuda::compile_options;

/// Backend for one device, or for an architecture without a device; kernels are then compiled and not run. The first
/// call that needs NVRTC or the driver opens it.
class cuda_backend final : public backend {
 public:
  /// Uses the first device.
  explicit cuda_backend(cuda_options options = {});
  /// Uses one of `devices()`.
  explicit cuda_backend(cuda::device_info const& d, cuda_options options = {});
  /// Compiles for another machine: `cuda::target_of_architecture(90)`.
  explicit cuda_backend(ttune::target machine, cuda_options options = {});

  /// Returns the devices; empty if there are none: then `availability()` of a default backend says why.
  [[nodiscard]] static std::vector<cuda::device_info> devices() { return cuda::devices(); }

  [[nodiscard]] std::string name() const override;  ///< as "cuda (NVRTC 13.0, sm_90)"
  /// Says if kernels can be compiled; for a default backend also if there is a device; for a device also if its driver
  /// can load them.
  [[nodiscard]] ttune::availability availability() const override;
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override;
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const& signature) const override;
  /// Returns a backend that compiles in a process of its own, where the helper program is installed.
  [[nodiscard]] std::unique_ptr<backend> another() const override;
  /// Returns the resources of the last compilation, one entry per kernel.
  [[nodiscard]] std::vector<cuda::kernel_resources> const& last_resources() const noexcept { return resources_; }

 private:
  /// Returns why no device of the target can run the program; empty if one can.
  [[nodiscard]] std::string refusal(codegen::device_program const& program) const;

  ttune::target target_;
  cuda_options options_;
  std::string failure_;
  bool runs_here_ = false;  ///< the target is a device of this machine
  std::vector<cuda::kernel_resources> resources_;
  std::shared_ptr<cuda::compile_processes> processes_ = std::make_shared<cuda::compile_processes>();
  std::shared_ptr<worker::compile_process> process_;  ///< null: compiles in this process
};

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda.inl.hpp"
#endif
