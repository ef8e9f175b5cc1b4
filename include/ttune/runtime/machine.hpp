// SPDX-License-Identifier: Apache-2.0
// Properties and peak speeds of this machine, found without a compiler library. Executors, the loader's checks, reports
// and benchmarks use them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ttune/core/dtype.hpp"
#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 {

/// Returns the number of processors that this process may use: the smaller of its affinity mask and the CPU quota of
/// its container; at least 1.
[[nodiscard]] std::int32_t usable_cpus();

/// Returns a name such as "AMD EPYC 9354 32-Core Processor"; "unknown processor" if the system does not tell.
[[nodiscard]] std::string processor_name();

/// Returns this machine's properties, named as "x86_64 AuthenticAMD-25-17" (vendor, family, model). `cpu` is "native"
/// and `features` is empty: a backend fills in the names that its compiler uses.
[[nodiscard]] target probe_host();

/// Returns the features of an LLVM feature string ("+avx512f,+fma,-sse4a") that kernels use and this machine lacks, as
/// "avx512f, fma"; empty if none. Features that no kernel is compiled to use are ignored.
[[nodiscard]] std::string missing_features(std::string_view features);

/// Returns true if code for this target (`target::name`, as "x86_64 znver4") runs on this processor architecture.
[[nodiscard]] bool is_host_architecture(std::string_view target_name) noexcept;

/// Measures the peak of fused multiply-adds in registers on `threads` threads, in GFLOP/s (an FMA counts as two
/// operations): an upper bound for every kernel. The best of several runs within `seconds`. For f32 and f64; 0 for
/// other types and for processors without FMA.
[[nodiscard]] double measure_fma_peak(std::int32_t threads, dtype type = dtype::f32, double seconds = 0.03);

/// Measures copies that are too large for the caches, in GB/s: bytes read plus bytes written. The best of several runs.
[[nodiscard]] double measure_copy_bandwidth(std::int32_t threads, double seconds = 0.1);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/machine.inl.hpp"
#endif
