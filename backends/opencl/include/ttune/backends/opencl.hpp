// SPDX-License-Identifier: Apache-2.0
// Kernels for OpenCL devices: OpenCL C by the emitter, compiled by the device's driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ttune/backends/opencl/device_kernel.hpp"
#include "ttune/runtime/backend.hpp"

namespace ttune::inline v0 {

struct opencl_options {
  /// `compile` asks the driver for a binary, which starts faster than the text. A driver that crashes over a kernel
  /// then takes this process along. Otherwise the driver sees a kernel first where it is loaded: while tuning, in the
  /// worker.
  bool ahead = false;
};

/// For one device. The ICD loader is opened by the first call that needs it. A program that holds this header can load
/// the images that it makes (runtime/load.hpp): the worker that measures them, too.
class opencl_backend final : public backend {
 public:
  /// The first device of the first platform that has one.
  explicit opencl_backend(opencl_options options = {});
  /// One of `devices()`.
  explicit opencl_backend(opencl::device_info d, opencl_options options = {});

  /// Empty if there are none: then `availability()` of a default one says why.
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
  /// Why the device cannot run this; empty if it can.
  [[nodiscard]] std::string refusal(emit::device_program const& program, kernel_signature const& signature) const;

  /// Empty with the driver's diagnostics if it does not compile.
  [[nodiscard]] std::vector<std::uint8_t> binary_of(std::string const& source, std::string& diagnostics);

  opencl::device_info device_;
  opencl_options options_;
  std::string failure_;
  ttune::target target_;
  std::unique_ptr<opencl::session> session_;  ///< of those that compile ahead, made when it is first needed
};

}  // namespace ttune::inline v0

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl.inl.hpp"
#endif
