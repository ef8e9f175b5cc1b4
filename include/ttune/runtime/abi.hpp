// SPDX-License-Identifier: Apache-2.0
// The binary interface between generated machine code and its caller. It uses plain C types only, so that any build of
// the library can load a kernel image of the same `abi_version`.
#pragma once

#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

inline constexpr std::uint32_t abi_version = 1;

/// Attribute for functions that call into a kernel image. clang's -fsanitize=function would read type information from
/// the bytes before the called function, and there may be no memory.
#if defined(__clang__)
#define TTUNE_CALLS_MACHINE_CODE __attribute__((no_sanitize("function")))
#else
#define TTUNE_CALLS_MACHINE_CODE
#endif

/// One task of a parallel loop. `worker` is in [0, threads); it selects the scratch memory of the thread.
using parallel_body = void (*)(void* closure, std::int64_t task, std::int32_t worker);

/// All functions that a kernel may call. Kernels import nothing else, so that an image needs no dynamic linker.
struct runtime_table {
  std::uint32_t version = abi_version;
  std::int32_t threads = 1;  ///< upper bound of the workers that `parallel` uses
  /// Runs body(closure, t, worker) for every t in [0, tasks) and returns when all are done.
  void (*parallel)(runtime_table const* self, parallel_body body, void* closure, std::int64_t tasks) = nullptr;
  void* executor = nullptr;  ///< the executor behind `parallel`
  // Functions of libm. Kernels find these members by their offset; `abi_version` changes when an offset does.
  float (*exp_f32)(float) = nullptr;
  float (*log_f32)(float) = nullptr;
  float (*sin_f32)(float) = nullptr;
  float (*cos_f32)(float) = nullptr;
  float (*tanh_f32)(float) = nullptr;
  float (*erf_f32)(float) = nullptr;
  float (*pow_f32)(float, float) = nullptr;
  double (*exp_f64)(double) = nullptr;
  double (*log_f64)(double) = nullptr;
  double (*sin_f64)(double) = nullptr;
  double (*cos_f64)(double) = nullptr;
  double (*tanh_f64)(double) = nullptr;
  double (*erf_f64)(double) = nullptr;
  double (*pow_f64)(double, double) = nullptr;
  double (*fmod_f64)(double, double) = nullptr;
};

/// Entry point of a kernel. `operands` holds the inputs, the outputs, then the prepared buffers. `workspace` is 64-byte
/// aligned and has at least shared_bytes + threads * local_bytes bytes (kernel_signature); it is null if that sum is 0.
using kernel_function = void (*)(void* const* operands, runtime_table const* runtime, void* workspace);

}}  // namespace ttune::v0
