// SPDX-License-Identifier: Apache-2.0
// cuBLAS and cuDNN, opened when a suite needs them; the functions in use are declared here.
#pragma once

#include <ttune/backends/cuda/api.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

namespace ttune_bench::gpu {

/// Returns names of a library for the loader, and in the toolkit's own folder.
inline std::vector<std::string> library_names(std::string const& name, std::vector<std::string> const& versions) {
  auto const* const home = std::getenv("CUDA_HOME");
  std::string const folder = std::string(home ? home : "/usr/local/cuda") + "/lib64/";
  std::vector<std::string> made;
  for (auto const& v : versions) made.push_back(name + v);
  for (auto const& v : versions) made.push_back(folder + name + v);
  return made;
}
inline ttune::shared_library const& cublas() {
  static ttune::shared_library const one(library_names("libcublas.so", {".13", ".12", ""}));
  return one;
}
inline ttune::shared_library const& cudnn() {
  static ttune::shared_library const one(library_names("libcudnn.so", {".9", ""}));
  return one;
}

using handle = void*;

#define TTUNE_GPU_FUNCTION(library, name, symbol, ...) \
  inline constexpr ttune::detail::lazy_function<&library, symbol, __VA_ARGS__> name{};
TTUNE_GPU_FUNCTION(cublas, cublasCreate, "cublasCreate_v2", int(handle*))
TTUNE_GPU_FUNCTION(cublas, cublasDestroy, "cublasDestroy_v2", int(handle))
TTUNE_GPU_FUNCTION(cublas, cublasSetStream, "cublasSetStream_v2", int(handle, ttune::cuda::stream))
TTUNE_GPU_FUNCTION(cublas, cublasGemmEx, "cublasGemmEx",
                   int(handle, int, int, int, int, int, void const*, void const*, int, int, void const*, int, int,
                       void const*, void*, int, int, int, int))
TTUNE_GPU_FUNCTION(cublas, cublasGemmStridedBatchedEx, "cublasGemmStridedBatchedEx",
                   int(handle, int, int, int, int, int, void const*, void const*, int, int, long long, void const*, int,
                       int, long long, void const*, void*, int, int, long long, int, int, int))
TTUNE_GPU_FUNCTION(cudnn, cudnnCreate, "cudnnCreate", int(handle*))
TTUNE_GPU_FUNCTION(cudnn, cudnnDestroy, "cudnnDestroy", int(handle))
TTUNE_GPU_FUNCTION(cudnn, cudnnSetStream, "cudnnSetStream", int(handle, ttune::cuda::stream))
TTUNE_GPU_FUNCTION(cudnn, cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor", int(handle*))
TTUNE_GPU_FUNCTION(cudnn, cudnnDestroyTensorDescriptor, "cudnnDestroyTensorDescriptor", int(handle))
TTUNE_GPU_FUNCTION(cudnn, cudnnSetTensor4d, "cudnnSetTensor4dDescriptor", int(handle, int, int, int, int, int, int))
TTUNE_GPU_FUNCTION(cudnn, cudnnCreateFilterDescriptor, "cudnnCreateFilterDescriptor", int(handle*))
TTUNE_GPU_FUNCTION(cudnn, cudnnDestroyFilterDescriptor, "cudnnDestroyFilterDescriptor", int(handle))
TTUNE_GPU_FUNCTION(cudnn, cudnnSetFilter4d, "cudnnSetFilter4dDescriptor", int(handle, int, int, int, int, int, int))
TTUNE_GPU_FUNCTION(cudnn, cudnnCreateConvolutionDescriptor, "cudnnCreateConvolutionDescriptor", int(handle*))
TTUNE_GPU_FUNCTION(cudnn, cudnnDestroyConvolutionDescriptor, "cudnnDestroyConvolutionDescriptor", int(handle))
TTUNE_GPU_FUNCTION(cudnn, cudnnSetConvolution2d, "cudnnSetConvolution2dDescriptor",
                   int(handle, int, int, int, int, int, int, int, int))
TTUNE_GPU_FUNCTION(cudnn, cudnnSetConvolutionMathType, "cudnnSetConvolutionMathType", int(handle, int))
TTUNE_GPU_FUNCTION(cudnn, cudnnGetConvolutionForwardWorkspaceSize, "cudnnGetConvolutionForwardWorkspaceSize",
                   int(handle, handle, handle, handle, handle, int, std::size_t*))
TTUNE_GPU_FUNCTION(cudnn, cudnnConvolutionForward, "cudnnConvolutionForward",
                   int(handle, void const*, handle, void const*, handle, void const*, handle, int, void*, std::size_t,
                       void const*, handle, void*))
TTUNE_GPU_FUNCTION(cudnn, cudnnCreateActivationDescriptor, "cudnnCreateActivationDescriptor", int(handle*))
TTUNE_GPU_FUNCTION(cudnn, cudnnDestroyActivationDescriptor, "cudnnDestroyActivationDescriptor", int(handle))
TTUNE_GPU_FUNCTION(cudnn, cudnnSetActivation, "cudnnSetActivationDescriptor", int(handle, int, int, double))
TTUNE_GPU_FUNCTION(cudnn, cudnnConvolutionBiasActivationForward, "cudnnConvolutionBiasActivationForward",
                   int(handle, void const*, handle, void const*, handle, void const*, handle, int, void*, std::size_t,
                       void const*, handle, void const*, handle, void const*, handle, handle, void*))
TTUNE_GPU_FUNCTION(cudnn, cudnnSoftmaxForward, "cudnnSoftmaxForward",
                   int(handle, int, int, void const*, handle, void const*, void const*, handle, void*))
#undef TTUNE_GPU_FUNCTION

/// Throws backend_error, which names the function, if the code is not 0.
inline void check(int code, char const* what) {
  if (code != 0) throw ttune::backend_error(std::string(what) + " failed with " + std::to_string(code));
}

inline constexpr int data_f32 = 0;       ///< CUDA_R_32F
inline constexpr int data_f16 = 2;       ///< CUDA_R_16F
inline constexpr int data_bf16 = 14;     ///< CUDA_R_16BF
inline constexpr int compute_f32 = 68;   ///< CUBLAS_COMPUTE_32F: f32 without TF32
inline constexpr int compute_tf32 = 77;  ///< CUBLAS_COMPUTE_32F_FAST_TF32
inline constexpr int cudnn_nchw = 0;
inline constexpr int cudnn_f32 = 0;
inline constexpr int cudnn_tf32_math = 1;   ///< CUDNN_TENSOR_OP_MATH
inline constexpr int cudnn_fma_math = 3;    ///< f32 without TF32
inline constexpr int cudnn_algorithms = 8;  ///< CUDNN_CONVOLUTION_FWD_ALGO_COUNT

}  // namespace ttune_bench::gpu
