// SPDX-License-Identifier: Apache-2.0
// The machine that this process runs on, as LLVM and the operating system see it.
#pragma once

#include "ttune/core/target.hpp"

namespace ttune::inline v0 {

/// Cores are those that this process may use. What the system does not tell keeps its default. 0.2 ms.
[[nodiscard]] target host_target();

namespace orc {
/// Fills in what follows from triple, CPU and features: name, width and number of vector registers, FMA, masks.
void derive_vectors(target& machine);
}  // namespace orc

}  // namespace ttune::inline v0

#include "ttune/backends/orc/host.inl.hpp"
