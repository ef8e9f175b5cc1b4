// SPDX-License-Identifier: Apache-2.0
// A lowered program as plain C11. Needs no compiler: the text is golden-tested anywhere.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/emit/device_program.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::emit {

/// One function for `prepare`, one for the body. To be read, and to be compiled where nothing else is at hand: loops
/// over blocks, threads and vectors are loops. A program with a barrier cannot be said so. Throws backend_error for
/// what the language cannot say.
[[nodiscard]] device_program c(ir::lowered const& program, target const& machine);

}  // namespace ttune::inline v0::emit

#if TTUNE_HEADER_ONLY
#include "ttune/emit/c.inl.hpp"
#endif
