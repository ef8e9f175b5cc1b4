// SPDX-License-Identifier: Apache-2.0
// Measures the roof of this machine by small loops in assembly, which no compiler changes.
#pragma once

#include "ttune/roof/machine_roof.hpp"
#include "ttune/runtime/executor.hpp"

namespace ttune { inline namespace v0 {

/// Measures this machine with the threads of an executor. It takes about ten times `seconds`; on a busy machine a roof
/// may be too low. The result is not known() on processors that are neither x86-64 with FMA nor 64-bit ARM.
[[nodiscard]] machine_roof measure_roof(executor& on, double seconds = 0.02);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure_roof.inl.hpp"
#endif
