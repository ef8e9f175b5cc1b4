// SPDX-License-Identifier: Apache-2.0
// The last passes before LLVM IR is written, and the sizes of the memory that a kernel needs.
#pragma once

#include "ttune/codegen/llvm/workspace.hpp"
#include "ttune/lowering/blend_lanes.hpp"
#include "ttune/lowering/match_tile_products.hpp"
#include "ttune/lowering/narrow_integers.hpp"
#include "ttune/lowering/settle_storage.hpp"
#include "ttune/lowering/speculate_selects.hpp"
#include "ttune/lowering/split_long_loops.hpp"
#include "ttune/lowering/sum_in_runs.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Returns the program as `module_emitter` takes it, and fills in the sizes of the signature's prepared buffers and
/// workspaces. Scratch buffers of at most `stack_limit` bytes that belong to one thread are on its stack.
[[nodiscard]] inline ir::lowered ready_for_emission(ir::lowered const& program, target const& machine,
                                                    kernel_signature& signature,
                                                    std::int64_t stack_limit = workspace_plan::usual_stack_limit) {
  auto made = program;
  for (auto* const part : {&made.prepare, &made.body}) {
    if (!made.same_bits) *part = lowering::sum_in_runs(*part);
    *part = lowering::split_long_loops(lowering::settle_storage(*part));
  }
  workspace_plan const plan(made, stack_limit);
  signature.shared_bytes = plan.shared_bytes;
  signature.local_bytes = plan.local_bytes;
  signature.prepared_bytes.clear();
  for (auto const& b : made.prepared)
    signature.prepared_bytes.push_back(b->elements() * static_cast<std::int64_t>(size_in_bytes(b->type)));
  for (auto* const part : {&made.prepare, &made.body})
    *part = lowering::match_tile_products(
        lowering::blend_lanes(lowering::speculate_selects(lowering::narrow_integers(*part))), machine);
  return made;
}

}}}}  // namespace ttune::v0::codegen::llvm
