// SPDX-License-Identifier: Apache-2.0
// The operands of a program as a kernel has them.
#pragma once

#include "ttune/ir/node.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune::inline v0 {

/// Name and operands, inputs first; what depends on the schedule is filled in by the emitter.
[[nodiscard]] kernel_signature signature_of(handle<ir::program> const& program);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/signature.inl.hpp"
#endif
