// SPDX-License-Identifier: Apache-2.0
// Gives a target an instruction that the application brings along.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/ir/own_instruction.hpp"

namespace ttune { inline namespace v0 {

/// Adds an instruction to those of a target. Returns false, and adds nothing, if the target is this machine and the
/// machine lacks the feature. Throws argument_error as the constructor of `own_instruction` does.
///
///   ttune::target machine = ttune::probe_host();
///   ttune::add_instruction(machine, {.name = "vpdpwssd", .intrinsic = "llvm.x86.avx512.vpdpwssd.512", …});
///   ttune::tuner tuner{ttune::orc_backend{machine}};
bool add_instruction(target& machine, instruction_statement stated);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/add_instruction.inl.hpp"
#endif
