// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/emit/llvm/emitter.hpp"
#include "ttune/emit/llvm/storage.hpp"
#include "ttune/emit/llvm_ir.hpp"
#include "ttune/pass/blend_lanes.hpp"
#include "ttune/pass/narrow_integers.hpp"
#include "ttune/pass/speculate_selects.hpp"

namespace ttune::inline v0::emit {

std::string llvm_ir(ir::lowered const& program, target const& machine) {
  auto settled = with_settled_storage(program);
  for (auto* const part : {&settled.prepare, &settled.body})
    *part = pass::blend_lanes(pass::speculate_selects(pass::narrow_integers(*part)));
  return llvm_emitter(settled, machine).run();
}

void plan_workspace(ir::lowered const& program, kernel_signature& signature) {
  auto const plan = workspace_plan(with_settled_storage(program));
  signature.shared_bytes = plan.shared_bytes;
  signature.local_bytes = plan.local_bytes;
  signature.prepared_bytes.clear();
  for (auto const& b : program.prepared)
    signature.prepared_bytes.push_back(b->elements() * static_cast<std::int64_t>(size_in_bytes(b->type)));
}

}  // namespace ttune::inline v0::emit
