// SPDX-License-Identifier: Apache-2.0
// What LLVM calls the machine that this process runs on.
#pragma once

#include "ttune/core/target.hpp"

namespace ttune::inline v0::orc {

/// A target whose CPU is "native" with LLVM's names of CPU and features; any other one as it is. 0.7 ms.
[[nodiscard]] target named_by_llvm(target machine);

}  // namespace ttune::inline v0::orc

#if TTUNE_PART_BODIES
#include "ttune/backends/orc/host.inl.hpp"
#endif
