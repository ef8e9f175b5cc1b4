// SPDX-License-Identifier: Apache-2.0
// The used functions of NVRTC and of the driver, declared here. Both libraries are opened at run time, so that building
// a program needs nothing of the toolkit. The toolkit's stub of libcuda is never opened.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

#include "ttune/runtime/device_code.hpp"
#include "ttune/support/shared_library.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

/// Opens NVRTC: the environment variable TTUNE_NVRTC_LIBRARY first, then the loader's paths, then the toolkit's folder.
inline shared_library const& nvrtc() {
  static shared_library const one = [] {
    auto const* const named = std::getenv("TTUNE_NVRTC_LIBRARY");
    auto const* const home = std::getenv("CUDA_HOME");
    std::string const folder = home ? home : "/usr/local/cuda";
    return shared_library({named ? named : "", "libnvrtc.so.13", "libnvrtc.so.12", folder + "/lib64/libnvrtc.so",
                           folder + "/lib/libnvrtc.so"});
  }();
  return one;
}

/// Opens the driver; the environment variable TTUNE_CUDA_LIBRARY has priority.
inline shared_library const& driver() {
  static shared_library const one = [] {
    auto const* const named = std::getenv("TTUNE_CUDA_LIBRARY");
    return shared_library({named ? named : "", "libcuda.so.1"});
  }();
  return one;
}

using program = struct opaque_program*;  // nvrtcProgram
using context = struct opaque_context*;  // CUcontext
using module = struct opaque_module*;
using function = struct opaque_function*;
using stream = struct opaque_stream*;
using event = struct opaque_event*;
using graph = struct opaque_graph*;
using graph_instance = struct opaque_graph_instance*;  // CUgraphExec
using device_pointer = unsigned long long;             // CUdeviceptr

inline constexpr int attribute_threads = 1;            ///< CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
inline constexpr int attribute_block_bytes = 8;        ///< …_MAX_SHARED_MEMORY_PER_BLOCK
inline constexpr int attribute_processors = 16;        ///< …_MULTIPROCESSOR_COUNT
inline constexpr int attribute_l2_bytes = 38;          ///< …_L2_CACHE_SIZE
inline constexpr int attribute_major = 75;             ///< …_COMPUTE_CAPABILITY_MAJOR
inline constexpr int attribute_minor = 76;             ///< …_COMPUTE_CAPABILITY_MINOR
inline constexpr int attribute_most_block_bytes = 97;  ///< …_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN

inline constexpr int function_launch_bytes = 8;  ///< CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

inline constexpr int capture_relaxed = 2;  ///< CU_STREAM_CAPTURE_MODE_RELAXED

#define TTUNE_CUDA_FUNCTION(library, name, symbol, ...) \
  inline constexpr detail::lazy_function<&library, symbol, __VA_ARGS__> name{};
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcVersion, "nvrtcVersion", int(int*, int*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcGetErrorString, "nvrtcGetErrorString", char const*(int))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs", int(int*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs", int(int*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcCreateProgram, "nvrtcCreateProgram",
                    int(program*, char const*, char const*, int, char const* const*, char const* const*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcCompileProgram, "nvrtcCompileProgram", int(program, int, char const* const*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcDestroyProgram, "nvrtcDestroyProgram", int(program*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcGetCUBINSize, "nvrtcGetCUBINSize", int(program, std::size_t*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcGetCUBIN, "nvrtcGetCUBIN", int(program, char*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcGetPTXSize, "nvrtcGetPTXSize", int(program, std::size_t*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcGetPTX, "nvrtcGetPTX", int(program, char*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize", int(program, std::size_t*))
TTUNE_CUDA_FUNCTION(nvrtc, nvrtcGetProgramLog, "nvrtcGetProgramLog", int(program, char*))

TTUNE_CUDA_FUNCTION(driver, cuInit, "cuInit", int(unsigned))
TTUNE_CUDA_FUNCTION(driver, cuGetErrorName, "cuGetErrorName", int(int, char const**))
TTUNE_CUDA_FUNCTION(driver, cuDriverGetVersion, "cuDriverGetVersion", int(int*))
TTUNE_CUDA_FUNCTION(driver, cuDeviceGetCount, "cuDeviceGetCount", int(int*))
TTUNE_CUDA_FUNCTION(driver, cuDeviceGet, "cuDeviceGet", int(int*, int))
TTUNE_CUDA_FUNCTION(driver, cuDeviceGetName, "cuDeviceGetName", int(char*, int, int))
TTUNE_CUDA_FUNCTION(driver, cuDeviceGetAttribute, "cuDeviceGetAttribute", int(int*, int, int))
TTUNE_CUDA_FUNCTION(driver, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", int(context*, int))
TTUNE_CUDA_FUNCTION(driver, cuCtxPushCurrent, "cuCtxPushCurrent_v2", int(context))
TTUNE_CUDA_FUNCTION(driver, cuCtxPopCurrent, "cuCtxPopCurrent_v2", int(context*))
TTUNE_CUDA_FUNCTION(driver, cuModuleLoadData, "cuModuleLoadData", int(module*, void const*))
TTUNE_CUDA_FUNCTION(driver, cuModuleUnload, "cuModuleUnload", int(module))
TTUNE_CUDA_FUNCTION(driver, cuModuleGetFunction, "cuModuleGetFunction", int(function*, module, char const*))
TTUNE_CUDA_FUNCTION(driver, cuFuncSetAttribute, "cuFuncSetAttribute", int(function, int, int))
TTUNE_CUDA_FUNCTION(driver, cuMemAlloc, "cuMemAlloc_v2", int(device_pointer*, std::size_t))
TTUNE_CUDA_FUNCTION(driver, cuMemFree, "cuMemFree_v2", int(device_pointer))
TTUNE_CUDA_FUNCTION(driver, cuMemcpyHtoD, "cuMemcpyHtoD_v2", int(device_pointer, void const*, std::size_t))
TTUNE_CUDA_FUNCTION(driver, cuMemcpyDtoH, "cuMemcpyDtoH_v2", int(void*, device_pointer, std::size_t))
TTUNE_CUDA_FUNCTION(driver, cuLaunchKernel, "cuLaunchKernel",
                    int(function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, stream, void**,
                        void**))
TTUNE_CUDA_FUNCTION(driver, cuMemsetAsync, "cuMemsetD8Async", int(device_pointer, unsigned char, std::size_t, stream))
TTUNE_CUDA_FUNCTION(driver, cuStreamCreate, "cuStreamCreate", int(stream*, unsigned))
TTUNE_CUDA_FUNCTION(driver, cuStreamDestroy, "cuStreamDestroy_v2", int(stream))
TTUNE_CUDA_FUNCTION(driver, cuStreamBeginCapture, "cuStreamBeginCapture_v2", int(stream, int))
TTUNE_CUDA_FUNCTION(driver, cuStreamEndCapture, "cuStreamEndCapture", int(stream, graph*))
TTUNE_CUDA_FUNCTION(driver, cuGraphInstantiate, "cuGraphInstantiateWithFlags",
                    int(graph_instance*, graph, unsigned long long))
TTUNE_CUDA_FUNCTION(driver, cuGraphLaunch, "cuGraphLaunch", int(graph_instance, stream))
TTUNE_CUDA_FUNCTION(driver, cuGraphExecDestroy, "cuGraphExecDestroy", int(graph_instance))
TTUNE_CUDA_FUNCTION(driver, cuGraphDestroy, "cuGraphDestroy", int(graph))
TTUNE_CUDA_FUNCTION(driver, cuEventCreate, "cuEventCreate", int(event*, unsigned))
TTUNE_CUDA_FUNCTION(driver, cuEventRecord, "cuEventRecord", int(event, stream))
TTUNE_CUDA_FUNCTION(driver, cuEventSynchronize, "cuEventSynchronize", int(event))
TTUNE_CUDA_FUNCTION(driver, cuEventElapsedTime, "cuEventElapsedTime", int(float*, event, event))
TTUNE_CUDA_FUNCTION(driver, cuEventDestroy, "cuEventDestroy_v2", int(event))
#undef TTUNE_CUDA_FUNCTION

/// Returns true for errors after which the process cannot use the device any more: an illegal address, a timeout, an
/// assertion, a trap and similar; memory or link errors (214, 220); a lost device (46, 721, or an unknown error, 999).
[[nodiscard]] constexpr bool is_lasting(int code) noexcept {
  return code == 46 || code == 214 || code == 220 || code == 700 || code == 702 || code == 710 ||
         (code >= 714 && code <= 719) || code == 721 || code == 999;
}

/// Returns true for the errors with which a driver refuses a cubin that it cannot read, such as one of a newer toolkit:
/// CUDA_ERROR_INVALID_IMAGE, …_NO_BINARY_FOR_GPU.
[[nodiscard]] constexpr bool is_unreadable(int code) noexcept { return code == 200 || code == 209; }

/// Throws device_failure, naming the driver's function and the error, unless `code` is success.
inline void check(int code, char const* what) {
  constexpr int out_of_memory = 2;
  if (code == 0) return;
  char const* text = nullptr;
  if (cuGetErrorName(code, &text) != 0 || !text) text = "an unknown error";
  throw device_failure(std::string("CUDA: ") + what + ": " + text,
                       is_lasting(code)        ? trial_status::crashed
                       : code == out_of_memory ? trial_status::out_of_memory
                                               : trial_status::unsupported,
                       is_lasting(code));
}

}}}  // namespace ttune::v0::cuda
