// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/llvm/module_emitter.hpp"
#include "ttune/codegen/llvm/ready_for_emission.hpp"
#include "ttune/codegen/llvm_ir.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

std::string llvm_ir(ir::lowered const& program, target const& machine) {
  kernel_signature unused;
  return llvm_ir(program, machine, unused);
}

std::string llvm_ir(ir::lowered const& program, target const& machine, kernel_signature& signature) {
  auto const ready = llvm::ready_for_emission(program, machine, signature);
  return llvm::module_emitter(ready, machine).run();
}

}}}  // namespace ttune::v0::codegen
