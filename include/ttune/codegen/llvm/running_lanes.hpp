// SPDX-License-Identifier: Apache-2.0
// The lanes of a vector that run, as a value of the code that is written.
#pragma once

#include <string>

#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/ir_writer.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Returns those of the lanes of a mask of constants, `known`, that run at run time, too.
[[nodiscard]] inline std::string running_lanes(ir_writer& writer, function_state const& state, std::string const& known,
                                               int lanes) {
  auto const& mask = state.run_time_mask;
  if (mask.empty() || state.mask.empty()) return mask.empty() ? known : mask;
  return writer.define("and " + vector_of("i1", lanes) + " " + mask + ", " + known);
}

}}}}  // namespace ttune::v0::codegen::llvm
