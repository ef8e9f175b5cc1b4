// SPDX-License-Identifier: Apache-2.0
// Scans as plain loops.
#include <omp.h>

#include <cstdint>
#include <vector>

#include "loops.hpp"

namespace {

using namespace ttune_bench::corpus;

/// Each thread sums a share, then continues the sums of those before it.
void prefix_sum(index n, float const* __restrict X, float* __restrict S) {
  std::vector<float> totals(static_cast<std::size_t>(omp_get_max_threads()) + 1, 0.0F);
#pragma omp parallel
  {
    auto const threads = omp_get_num_threads(), me = omp_get_thread_num();
    auto const from = n * me / threads, to = n * (me + 1) / threads;
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index t = from; t < to; ++t) total += X[t];
    totals[static_cast<std::size_t>(me) + 1] = total;
#pragma omp barrier
    float sum = 0;
    for (int i = 0; i <= me; ++i) sum += totals[static_cast<std::size_t>(i)];
    for (index t = from; t < to; ++t) S[t] = sum += X[t];
  }
}

/// Scans four rows side by side: one addition need not wait for the one before.
void prefix_sum_rows(index m, index n, float const* __restrict X, float* __restrict S) {
  constexpr index rows = 4;
#pragma omp parallel for
  for (index i = 0; i < m / rows * rows; i += rows) {
    float sum[rows] = {};
    for (index t = 0; t < n; ++t)
      for (index r = 0; r < rows; ++r) S[(i + r) * n + t] = sum[r] += X[(i + r) * n + t];
  }
  for (index i = m / rows * rows; i < m; ++i) {
    float sum = 0;
    for (index t = 0; t < n; ++t) S[i * n + t] = sum += X[i * n + t];
  }
}

/// Sums rows in parallel, then adds the row above for columns of each thread.
void integral_image(index h, index w, std::uint8_t const* __restrict I, std::int32_t* __restrict S) {
#pragma omp parallel for
  for (index y = 0; y < h; ++y) {
    std::int32_t sum = 0;
    for (index x = 0; x < w; ++x) S[y * w + x] = sum += I[y * w + x];
  }
  constexpr index block = 512;
#pragma omp parallel for
  for (index from = 0; from < w; from += block)
    for (index y = 1; y < h; ++y)
#pragma omp simd
      for (index x = from; x < smaller(w, from + block); ++x) S[y * w + x] += S[(y - 1) * w + x];
}

void drawdown(index m, index n, float const* __restrict P, float* __restrict D) {
  constexpr index rows = 4;
#pragma omp parallel for
  for (index from = 0; from < m; from += rows) {
    auto const some = smaller(rows, m - from);
    float top[rows] = {-3e38F, -3e38F, -3e38F, -3e38F};
    for (index t = 0; t < n; ++t)
      for (index r = 0; r < some; ++r) {
        auto const p = P[(from + r) * n + t];
        top[r] = larger(top[r], p);
        D[(from + r) * n + t] = 1 - p / top[r];
      }
  }
}

/// Filters four rows side by side.
void first_order_rows(index m, index n, float const* __restrict A, float const* __restrict X, float* __restrict Y) {
  constexpr index rows = 4;
#pragma omp parallel for
  for (index from = 0; from < m; from += rows) {
    auto const some = smaller(rows, m - from);
    float last[rows] = {};
    for (index t = 0; t < n; ++t)
      for (index r = 0; r < some; ++r) {
        auto const at = (from + r) * n + t;
        Y[at] = last[r] = A[at] * last[r] + X[at];
      }
  }
}

void first_order_columns(index m, index n, float const* __restrict A, float const* __restrict X, float* __restrict Y) {
  constexpr index block = 512;
#pragma omp parallel for
  for (index from = 0; from < n; from += block) {
    auto const to = smaller(n, from + block);
    for (index i = from; i < to; ++i) Y[i] = X[i];
    for (index t = 1; t < m; ++t)
#pragma omp simd
      for (index i = from; i < to; ++i) Y[t * n + i] = A[t * n + i] * Y[(t - 1) * n + i] + X[t * n + i];
  }
}

add_functions const all{"openmp",
                        {{"prefix_sum", prefix_sum},
                         {"prefix_sum_rows", prefix_sum_rows},
                         {"integral_image", integral_image},
                         {"drawdown", drawdown},
                         {"first_order_rows", first_order_rows},
                         {"first_order_columns", first_order_columns}}};

}  // namespace
