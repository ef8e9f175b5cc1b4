// SPDX-License-Identifier: Apache-2.0
// The functions that the main function of a worker calls.
#pragma once

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Returns true if this process was started by `worker::self`.
[[nodiscard]] bool is_worker(int argc, char const* const* argv) noexcept;
/// Serves one parent over standard input and output until they close; returns the exit status for main.
int run_worker();
/// Returns true in a worker process. No tuner must be created there, or each worker would start workers.
[[nodiscard]] bool inside_worker() noexcept;

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/worker/entry.inl.hpp"
#endif
