// SPDX-License-Identifier: Apache-2.0
// The backend for CPUs: kernels compiled by LLVM and linked by ORC.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ttune/backends/orc/compiler.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/runtime/machine.hpp"

namespace ttune { inline namespace v0 {

/// Backend for this machine, or for another one that runs the images made here. The first call that needs LLVM opens
/// it, `availability` or `compile`. CPU or feature names that this LLVM does not know are ignored, which gives less
/// optimised code.
class orc_backend final : public backend {
 public:
  orc_backend() : orc_backend(probe_host()) {}
  explicit orc_backend(ttune::target machine, orc::compiler_options options = {});

  [[nodiscard]] std::string name() const override;  ///< as "orc (LLVM 19.1.7)"
  [[nodiscard]] ttune::availability availability() const override;
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override;
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const& signature) const override;
  [[nodiscard]] std::unique_ptr<backend> another() const override {
    return std::make_unique<orc_backend>(target_, options_);
  }
  /// Returns a backend for the same target whose kernels check their accesses (orc/checked_backend.hpp).
  [[nodiscard]] std::unique_ptr<backend> checked() const override;

  /// Compiles textual LLVM IR that defines `ttune_main` and optionally `ttune_prepare` (runtime/abi.hpp).
  [[nodiscard]] compile_result compile_text(std::string const& text, kernel_signature signature);
  /// Returns the assembly of a text; nothing if it is invalid.
  [[nodiscard]] std::optional<std::string> assembly(std::string const& text);
  /// Returns the times of the last compilation.
  [[nodiscard]] orc::phase_seconds const& last_phases() const noexcept { return phases_; }

 private:
  [[nodiscard]] orc::compiler& compiler() const;
  [[nodiscard]] compile_result finish(std::optional<orc::linked_code> code, std::string const& text,
                                      kernel_signature signature, std::string diagnostics);

  ttune::target target_;
  orc::compiler_options options_;
  mutable std::unique_ptr<orc::compiler> compiler_;  ///< created at its first use; LLVM keeps a pointer to it
  orc::phase_seconds phases_;
};

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/backends/orc.inl.hpp"
#endif
