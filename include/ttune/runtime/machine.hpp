// SPDX-License-Identifier: Apache-2.0
// What this machine is and what it can do at most, found without a compiler library: for executors, for refusing
// images, for reports and benchmarks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ttune/core/dtype.hpp"
#include "ttune/core/target.hpp"

namespace ttune::inline v0 {

/// Processors that this process may use: its affinity mask, or the quota of its container where that is less. >= 1.
[[nodiscard]] std::int32_t usable_cpus();

/// As "AMD EPYC 9354 32-Core Processor"; "unknown processor" where the system does not say.
[[nodiscard]] std::string processor_name();

/// This machine's facts, named as "x86_64 AuthenticAMD-25-17" (vendor, family, model); `cpu` is "native" and `features`
/// are empty: a backend puts in the names that its compiler has for them.
[[nodiscard]] target probe_host();

/// Those of an LLVM feature string ("+avx512f,+fma,-sse4a") that a kernel would need and this machine lacks, as
/// "avx512f, fma"; empty if none. Features that no kernel is compiled to use are not looked at.
[[nodiscard]] std::string missing_features(std::string_view features);

/// Whether code for this target (`target::name`, as "x86_64 znver4") is code for this kind of processor.
[[nodiscard]] bool is_host_architecture(std::string_view target_name) noexcept;

/// Fused multiply-adds in registers on `threads` threads at once, each counted as two operations: what no kernel can
/// exceed. GFLOP/s, the best of several runs. f32 and f64; 0 for other types and for processors without them.
[[nodiscard]] double measure_fma_peak(std::int32_t threads, dtype type = dtype::f32, double seconds = 0.03);

/// Bytes read plus bytes written by copies too large for the caches. GB/s, the best of several runs.
[[nodiscard]] double measure_copy_bandwidth(std::int32_t threads, double seconds = 0.1);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/machine.inl.hpp"
#endif
