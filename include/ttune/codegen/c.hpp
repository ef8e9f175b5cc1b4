// SPDX-License-Identifier: Apache-2.0
// Emits a lowered program as plain C11. It needs no compiler, so golden tests compare the text on every machine.
#pragma once

#include "ttune/codegen/device_program.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Emits one function for `prepare` and one for the body. The text is meant to be read, and to be compiled where no
/// other compiler is available: loops over blocks, threads and vectors become ordinary loops. Throws backend_error for
/// constructs that C cannot express, such as barriers.
[[nodiscard]] device_program c(ir::lowered const& program, target const& machine);

}}}  // namespace ttune::v0::codegen

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/codegen/c.inl.hpp"
#endif
