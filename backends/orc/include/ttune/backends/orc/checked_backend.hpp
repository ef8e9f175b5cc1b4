// SPDX-License-Identifier: Apache-2.0
// Kernels for CPUs that check each of their accesses to memory (codegen/checked_llvm_ir.hpp).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "ttune/backends/orc.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// Compiles the same kernels as `orc_backend`, with checks. A call throws access_error if the kernel touched an element
/// outside of a buffer; memory outside of the buffers is neither read nor written. The first call of a kernel runs it
/// again for each of its scratch buffers, with other bytes there, and throws if the results differ: the kernel read
/// elements that it had not written. Kernels exist in this process only, and are neither stored nor measured. They take
/// 1.7 to 3.2 times as long (a product, a convolution, softmax, a blur and a transposition on Zen 5).
class checked_backend final : public backend {
 public:
  explicit checked_backend(ttune::target machine, compiler_options options = {})
      : compiler_(std::move(machine), std::move(options)) {}

  [[nodiscard]] std::string name() const override { return compiler_.name() + ", checked"; }
  [[nodiscard]] ttune::availability availability() const override { return compiler_.availability(); }
  [[nodiscard]] ttune::target const& target() const override { return compiler_.target(); }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override;
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const& signature) const override;

 private:
  orc_backend compiler_;
};

}}}  // namespace ttune::v0::orc

#if TTUNE_PART_BODIES
#include "ttune/backends/orc/checked_backend.inl.hpp"
#endif
