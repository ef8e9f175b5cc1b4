// SPDX-License-Identifier: Apache-2.0
// Functions whose formulas are fast for almost all numbers: the others are computed behind a branch.
#pragma once

#include <string>

#include "ttune/codegen/llvm/any_lane.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/ir_writer.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// In: a value that a formula computed, the lanes for which it is wrong, and a call that computes all lanes. Out: the
/// value, or the result of the call if a running lane needs it. The branch is hardly ever taken.
class rare_lanes {
 public:
  rare_lanes(ir_writer& writer, function_state const& state) : writer_(writer), state_(state) {}

  [[nodiscard]] lane_value replaced(lane_value const& computed, lane_value const& is_rare, std::string const& call) {
    auto const any = any_lane(writer_, state_, is_rare);
    auto const slow = writer_.fresh_label();
    auto const join = writer_.fresh_label();
    writer_.line("br i1 " + any + ", label %" + slow + ", label %" + join);
    auto const before = writer_.label();
    writer_.open_arm(slow);
    auto const called = writer_.define(call);
    writer_.line("br label %" + join);
    auto const arm = writer_.close();
    writer_.append(arm);
    writer_.start_block(join);
    return computed.named(writer_.define("phi " + computed.type() + " [" + computed.text + ", %" + before + "], [" +
                                         called + ", %" + slow + "]"),
                          computed.scalar);
  }

 private:
  ir_writer& writer_;
  function_state const& state_;
};

}}}}  // namespace ttune::v0::codegen::llvm
