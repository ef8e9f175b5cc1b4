// SPDX-License-Identifier: Apache-2.0
// The passes between lowering and emission, in their order. TTUNE_DUMP=<pass> in the environment writes the program
// after that pass (or after `lower`, or `all`) to standard error.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Runs all passes on a freshly lowered program.
[[nodiscard]] ir::lowered run_passes(ir::lowered program);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/passes.inl.hpp"
#endif
