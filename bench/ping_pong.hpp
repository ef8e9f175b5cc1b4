// SPDX-License-Identifier: Apache-2.0
// Measures the distance of two cores, which parallel kernels pay when their threads meet.
#pragma once

namespace ttune_bench {

/// Returns the nanoseconds from one core to another: half the round trip of a cache line that two threads, each on a
/// processor of its own, write alternately. It is the median of several runs, measured once per process, before other
/// work keeps the cores busy; 0 if there is only one processor.
[[nodiscard]] double ping_pong_nanoseconds();

}  // namespace ttune_bench
