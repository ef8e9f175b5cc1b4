// SPDX-License-Identifier: Apache-2.0
// Layer norm as compiled loops, shared by suites ops and fusion.
#pragma once

#include <cmath>
#include <cstdint>

namespace ttune_bench {

/// Normalises along the last dimension. Shape: in (m, n), gain (n), bias (n) -> out (m, n)
inline void openmp_layer_norm(std::int64_t m, std::int64_t n, float const* in, float const* gain, float const* bias,
                              float* out, int threads) {
  auto const count = static_cast<float>(n);
#pragma omp parallel for num_threads(threads)
  for (std::int64_t i = 0; i < m; ++i) {
    float const* const x = in + i * n;
    float mean = 0;
#pragma omp simd reduction(+ : mean)
    for (std::int64_t j = 0; j < n; ++j) mean += x[j];
    mean /= count;
    float variance = 0;
#pragma omp simd reduction(+ : variance)
    for (std::int64_t j = 0; j < n; ++j) variance += (x[j] - mean) * (x[j] - mean);
    float const scale = 1 / std::sqrt(variance / count + 1e-5F);
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) out[i * n + j] = (x[j] - mean) * scale * gain[j] + bias[j];
  }
}

}  // namespace ttune_bench
