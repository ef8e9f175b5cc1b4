// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/llvm/module_emitter.hpp"
#include "ttune/codegen/llvm/workspace.hpp"
#include "ttune/codegen/llvm_ir.hpp"
#include "ttune/lowering/blend_lanes.hpp"
#include "ttune/lowering/narrow_integers.hpp"
#include "ttune/lowering/settle_storage.hpp"
#include "ttune/lowering/speculate_selects.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

std::string llvm_ir(ir::lowered const& program, target const& machine) {
  kernel_signature unused;
  return llvm_ir(program, machine, unused);
}

std::string llvm_ir(ir::lowered const& program, target const& machine, kernel_signature& signature) {
  auto made = program;
  for (auto* const part : {&made.prepare, &made.body}) *part = lowering::settle_storage(*part);
  workspace_plan const plan(made);
  signature.shared_bytes = plan.shared_bytes;
  signature.local_bytes = plan.local_bytes;
  signature.prepared_bytes.clear();
  for (auto const& b : made.prepared)
    signature.prepared_bytes.push_back(b->elements() * static_cast<std::int64_t>(size_in_bytes(b->type)));
  for (auto* const part : {&made.prepare, &made.body})
    *part = lowering::blend_lanes(lowering::speculate_selects(lowering::narrow_integers(*part)));
  return llvm::module_emitter(made, machine).run();
}

}}}  // namespace ttune::v0::codegen
