// SPDX-License-Identifier: Apache-2.0
// The passes over one kernel of a device, in their order. TTUNE_DUMP prints their results as it does for passes.hpp.
#pragma once

#include "ttune/arith/interval.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/lowering/device_features.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Runs all passes on the statement of a kernel. `known`: ranges of the variables around it. Throws backend_error for
/// what the language or the machine does not have.
[[nodiscard]] ir::stmt run_kernel_passes(ir::stmt body, arith::ranges const& known, device_features const& features);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/kernel_passes.inl.hpp"
#endif
