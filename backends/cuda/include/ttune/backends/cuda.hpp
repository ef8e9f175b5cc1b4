// SPDX-License-Identifier: Apache-2.0
// Kernels for NVIDIA GPUs: CUDA C++ by the emitter, compiled by NVRTC, run by the driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ttune/backends/cuda/compiler.hpp"
#include "ttune/backends/cuda/device_kernel.hpp"
#include "ttune/runtime/backend.hpp"

namespace ttune::inline v0 {

using cuda_options = cuda::compile_options;

/// For one device, or for an architecture of which there need be none: kernels are compiled and not run then. NVRTC and
/// the driver are opened by the first call that needs them.
class cuda_backend final : public backend {
 public:
  /// The first device.
  explicit cuda_backend(cuda_options options = {});
  /// One of `devices()`.
  explicit cuda_backend(cuda::device_info const& d, cuda_options options = {});
  /// For another machine: `cuda::target_of_architecture(90)`.
  explicit cuda_backend(ttune::target machine, cuda_options options = {});

  /// Empty if there are none: then `availability()` of a default one says why.
  [[nodiscard]] static std::vector<cuda::device_info> devices() { return cuda::devices(); }

  [[nodiscard]] std::string name() const override;  ///< as "cuda (NVRTC 13.0, sm_90)"
  /// Whether kernels can be compiled, and for a default one whether there is a device; for a device, whether its driver
  /// loads them.
  [[nodiscard]] ttune::availability availability() const override;
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override;
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const& signature) const override;
  [[nodiscard]] std::unique_ptr<backend> another() const override { return std::make_unique<cuda_backend>(*this); }
  /// Of the last compilation, one a kernel.
  [[nodiscard]] std::vector<cuda::kernel_resources> const& last_resources() const noexcept { return resources_; }

 private:
  /// Why no device of the target can run this; empty if it can.
  [[nodiscard]] std::string refusal(emit::device_program const& program) const;

  ttune::target target_;
  cuda_options options_;
  std::string failure_;
  bool runs_here_ = false;  ///< the target is a device of this machine
  std::vector<cuda::kernel_resources> resources_;
};

}  // namespace ttune::inline v0

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda.inl.hpp"
#endif
