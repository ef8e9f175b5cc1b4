// SPDX-License-Identifier: Apache-2.0
// LLVM's names for this machine.
#pragma once

#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// Replaces the CPU "native" by LLVM's names of CPU and features; other targets are returned unchanged. Takes 0.7 ms.
[[nodiscard]] target named_by_llvm(target machine);

}}}  // namespace ttune::v0::orc

#if TTUNE_PART_BODIES
#include "ttune/backends/orc/host.inl.hpp"
#endif
