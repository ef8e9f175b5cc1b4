// SPDX-License-Identifier: Apache-2.0
// How far apart two cores are: what parallel kernels pay to meet.
#pragma once

namespace ttune_bench {

/// From one core to another, in nanoseconds: half the time in which a cache line goes there and back that two threads,
/// each on a processor of its own, write in turns. The median of several runs, measured once a process, before anything
/// else keeps the cores busy; 0 where there is only one processor.
[[nodiscard]] double ping_pong_nanoseconds();

}  // namespace ttune_bench
