// SPDX-License-Identifier: Apache-2.0
// Counts what a lowered kernel demands of a CPU. It takes well under a millisecond for most kernels, and runs nothing.
#pragma once

#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/roof/kernel_work.hpp"

namespace ttune { inline namespace v0 {

/// Counts one call. `cold`: the operands are in no cache before it. Kernels for devices, and those whose extents the
/// call gives, are not counted: the result is not known().
[[nodiscard]] kernel_work count_work(ir::lowered const& kernel, target const& machine, bool cold = false);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/roof/count_work.inl.hpp"
#endif
