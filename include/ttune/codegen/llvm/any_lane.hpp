// SPDX-License-Identifier: Apache-2.0
// Conditions of lanes that one branch decides for all of them.
#pragma once

#include <string>

#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/ir_writer.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Returns the name of the condition that another one holds in any running lane.
[[nodiscard]] inline std::string any_lane(ir_writer& writer, function_state const& state, lane_value condition) {
  if (condition.lanes == 1) return condition.text;
  if (!state.mask.empty() && condition.lanes == state.lanes)
    condition = condition & condition.named(state.mask_text(state.lanes), "i1");
  auto const reduce = "@llvm.vector.reduce.or.v" + std::to_string(condition.lanes) + "i1";
  writer.declare("declare i1 " + reduce + "(" + condition.type() + ")");
  return writer.define("call i1 " + reduce + "(" + condition.type() + " " + condition.text + ")");
}

}}}}  // namespace ttune::v0::codegen::llvm
