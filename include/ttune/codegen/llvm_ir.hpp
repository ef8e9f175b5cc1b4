// SPDX-License-Identifier: Apache-2.0
// Emits a lowered program as textual LLVM IR. It needs no LLVM, so golden tests compare the text on every machine.
#pragma once

#include <string>

#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Emits a module with `ttune_main` and, if there is something to prepare, `ttune_prepare`, both void(ptr operands, ptr
/// runtime, ptr workspace), see runtime/abi.hpp. It imports no symbols. Loops marked `unrolled` are unrolled,
/// `vectorized` loops become vector instructions of the target's width, buffers in ir::memory::registers become SSA
/// values.
[[nodiscard]] std::string llvm_ir(ir::lowered const& program, target const& machine);

/// Does the same, and fills in the sizes of the signature's prepared buffers and workspaces, which depend on the
/// schedule.
[[nodiscard]] std::string llvm_ir(ir::lowered const& program, target const& machine, kernel_signature& signature);

}}}  // namespace ttune::v0::codegen

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/codegen/llvm_ir.inl.hpp"
#endif
