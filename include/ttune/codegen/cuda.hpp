// SPDX-License-Identifier: Apache-2.0
// Emits a lowered program as CUDA C++. It needs no compiler, so golden tests compare the text on every machine.
#pragma once

#include "ttune/codegen/device_program.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Emits text for NVRTC, without any #include. A parallel loop outside of blocks and threads becomes a loop over blocks
/// of one thread. Vectorised loops move 16 bytes at once if the addresses are aligned; operands must be aligned to 16
/// bytes. Throws backend_error for constructs that CUDA cannot express.
[[nodiscard]] device_program cuda(ir::lowered const& program, target const& machine);

}}}  // namespace ttune::v0::codegen

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/codegen/cuda.inl.hpp"
#endif
