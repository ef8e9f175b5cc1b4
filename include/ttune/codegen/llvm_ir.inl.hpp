// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/llvm/module_emitter.hpp"
#include "ttune/codegen/llvm/storage.hpp"
#include "ttune/codegen/llvm_ir.hpp"
#include "ttune/lowering/blend_lanes.hpp"
#include "ttune/lowering/narrow_integers.hpp"
#include "ttune/lowering/speculate_selects.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

std::string llvm_ir(ir::lowered const& program, target const& machine) {
  auto settled = with_settled_storage(program);
  for (auto* const part : {&settled.prepare, &settled.body})
    *part = lowering::blend_lanes(lowering::speculate_selects(lowering::narrow_integers(*part)));
  return llvm::module_emitter(settled, machine).run();
}

void plan_workspace(ir::lowered const& program, kernel_signature& signature) {
  auto const plan = workspace_plan(with_settled_storage(program));
  signature.shared_bytes = plan.shared_bytes;
  signature.local_bytes = plan.local_bytes;
  signature.prepared_bytes.clear();
  for (auto const& b : program.prepared)
    signature.prepared_bytes.push_back(b->elements() * static_cast<std::int64_t>(size_in_bytes(b->type)));
}

}}}  // namespace ttune::v0::codegen
