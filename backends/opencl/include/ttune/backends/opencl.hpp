// SPDX-License-Identifier: Apache-2.0
// The backend for OpenCL devices: emits OpenCL C; the device's driver compiles it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ttune/backends/opencl/device_kernel.hpp"
#include "ttune/runtime/backend.hpp"

namespace ttune { inline namespace v0 {

/// Options of `opencl_backend`.
struct opencl_options {
  /// If true, `compile` requests a binary from the driver, which loads faster than text. A driver that crashes on a
  /// kernel then ends this process. If false, the driver first sees a kernel when it is loaded: in the worker, while
  /// tuning.
  bool ahead = false;
};

/// Backend for one device. The first call that needs the ICD loader opens it. A program that includes this header can
/// load its images (runtime/load.hpp), as does the worker that measures them.
class opencl_backend final : public backend {
 public:
  /// Uses the first device of the first platform that has one.
  explicit opencl_backend(opencl_options options = {});
  /// Uses one of `devices()`.
  explicit opencl_backend(opencl::device_info d, opencl_options options = {});

  /// Returns the devices; empty if there are none: then `availability()` of a default backend says why.
  [[nodiscard]] static std::vector<opencl::device_info> devices() { return opencl::devices(); }

  [[nodiscard]] std::string name() const override;  ///< as "opencl (pthread-skylake-avx512-AMD EPYC)"
  [[nodiscard]] ttune::availability availability() const override;
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override;
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const& signature) const override;
  [[nodiscard]] std::unique_ptr<backend> another() const override {
    return failure_.empty() ? std::make_unique<opencl_backend>(device_, options_) : nullptr;
  }

 private:
  /// Returns why the device cannot run the program; empty if it can.
  [[nodiscard]] std::string refusal(codegen::device_program const& program, kernel_signature const& signature) const;

  /// Returns the driver's binary; empty, with the driver's diagnostics, if the text does not compile.
  [[nodiscard]] std::vector<std::uint8_t> binary_of(std::string const& source, std::string& diagnostics);

  opencl::device_info device_;
  opencl_options options_;
  std::string failure_;
  ttune::target target_;
  std::unique_ptr<opencl::session> session_;  ///< for backends that compile ahead; created at its first use
};

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl.inl.hpp"
#endif
