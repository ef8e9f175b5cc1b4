// SPDX-License-Identifier: Apache-2.0
// Derives the signature of a kernel from a program.
#pragma once

#include "ttune/ir/node.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 {

/// Returns the name and the operands, inputs first. The emitter fills in the members that depend on the schedule.
[[nodiscard]] kernel_signature signature_of(handle<ir::program> const& program);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/signature.inl.hpp"
#endif
