// SPDX-License-Identifier: Apache-2.0
// The machine that this process runs on, as LLVM and the operating system see it.
#pragma once

#include "ttune/core/target.hpp"

namespace ttune::inline v0 {

/// probe_host() with LLVM's triple, CPU and features, as "x86_64 znver4". 0.7 ms.
[[nodiscard]] target host_target();

}  // namespace ttune::inline v0

#include "ttune/backends/orc/host.inl.hpp"
