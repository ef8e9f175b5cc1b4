// SPDX-License-Identifier: Apache-2.0
// What this machine can do at best, measured in the same run as what is compared with it.
#pragma once

namespace ttune_bench {

/// Single-precision FLOP/s of independent fused multiply-adds in registers, all threads together, during `seconds`.
[[nodiscard]] double fma_peak(int threads, double seconds);
/// Bytes read plus bytes written per second by copies far larger than the caches.
[[nodiscard]] double copy_bandwidth(int threads, double seconds);

}  // namespace ttune_bench
