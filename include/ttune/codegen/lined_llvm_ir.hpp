// SPDX-License-Identifier: Apache-2.0
// LLVM IR of a lowered program with debug locations: the text of llvm_ir.hpp, in which each instruction has a line of
// the printed loop nest. For profilers and debuggers (runtime/tools/).
#pragma once

#include <map>
#include <string>

#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// The text of a kernel with lines.
struct lined_text {
  std::string text;
  std::string loops;                         ///< the loop nest whose lines the text names (ir/print.hpp)
  std::map<std::string, std::string> names;  ///< what people call the functions, by symbol: "matmul.main"
};

/// Emits a module as `llvm_ir` does, with debug metadata: the same instructions in the same order, which LLVM compiles
/// to the same machine code. `folder` and `file` are where the loop nest will be. Functions are named after the kernel:
/// `.main`, `.prepare`, and `.parallel_i` for the body of a parallel loop over i. A compilation takes 10 to
/// 15 % longer.
[[nodiscard]] lined_text lined_llvm_ir(ir::lowered const& program, target const& machine, kernel_signature& signature,
                                       std::string const& folder, std::string const& file);

}}}  // namespace ttune::v0::codegen

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/codegen/lined_llvm_ir.inl.hpp"
#endif
