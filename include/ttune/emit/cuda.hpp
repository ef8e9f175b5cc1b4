// SPDX-License-Identifier: Apache-2.0
// A lowered program as CUDA C++. Needs no compiler: the text is golden-tested anywhere.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/emit/device_program.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::emit {

/// For NVRTC: no header is included. A parallel loop outside of blocks and threads is one over blocks of one thread.
/// Vectorised loops move 16 bytes at once where places are aligned: operands must be, to 16 bytes.
/// Throws backend_error for what the language cannot say.
[[nodiscard]] device_program cuda(ir::lowered const& program, target const& machine);

}  // namespace ttune::inline v0::emit

#if TTUNE_HEADER_ONLY
#include "ttune/emit/cuda.inl.hpp"
#endif
