// SPDX-License-Identifier: Apache-2.0
// Scatters as plain loops.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "loops.hpp"

namespace {

using namespace ttune_bench::corpus;

/// Counts bins of a share of the elements in four histograms, since an addition waits for the one before at its place.
template <index bins, class Bin>
void count(index n, Bin const& bin, std::int32_t* __restrict H) {
  std::fill(H, H + bins, 0);
#pragma omp parallel
  {
    static thread_local std::int32_t counts[4][bins];
    for (auto& one : counts) std::fill(one, one + bins, 0);
#pragma omp for nowait
    for (index i = 0; i < n / 4; ++i)
      for (index c = 0; c < 4; ++c) ++counts[c][bin(4 * i + c)];
#pragma omp single nowait
    for (index i = n / 4 * 4; i < n; ++i) ++counts[0][bin(i)];
#pragma omp critical
    for (index b = 0; b < bins; ++b) H[b] += counts[0][b] + counts[1][b] + counts[2][b] + counts[3][b];
  }
}

void histogram_256(index h, index w, std::uint8_t const* __restrict I, std::int32_t* __restrict H) {
  count<256>(h * w, [I](index i) { return I[i]; }, H);
}

void histogram_16(index h, index w, std::uint8_t const* __restrict I, std::int32_t* __restrict H) {
  count<16>(h * w, [I](index i) { return I[i] / 16; }, H);
}

void joint_histogram(index h, index w, std::uint8_t const* __restrict A, std::uint8_t const* __restrict B,
                     std::int32_t* __restrict J) {
  count<64 * 64>(h * w, [A, B](index i) { return A[i] / 4 * 64 + B[i] / 4; }, J);
}

void group_sums(index n, index groups, std::int32_t const* __restrict G, float const* __restrict V, float* __restrict S,
                std::int32_t* __restrict N) {
  std::fill(S, S + groups, 0.0F);
  std::fill(N, N + groups, 0);
#pragma omp parallel
  {
    std::vector<float> sums(static_cast<std::size_t>(groups));
    std::vector<std::int32_t> counts(static_cast<std::size_t>(groups));
#pragma omp for nowait
    for (index i = 0; i < n; ++i) {
      auto const g = static_cast<std::size_t>(G[i]);
      if (G[i] < 0 || G[i] >= groups) continue;
      sums[g] += V[i];
      ++counts[g];
    }
#pragma omp critical
    for (index g = 0; g < groups; ++g) {
      S[g] += sums[static_cast<std::size_t>(g)];
      N[g] += counts[static_cast<std::size_t>(g)];
    }
  }
}

/// Each thread adds a part of the columns.
void embedding_gradient(index n, index rows, index width, std::int32_t const* __restrict I, float const* __restrict D,
                        float* __restrict T) {
#pragma omp parallel
  {
    auto const threads = omp_get_num_threads(), me = omp_get_thread_num();
    auto const from = width * me / threads, to = width * (me + 1) / threads;
    for (index v = 0; v < rows; ++v) std::fill(T + v * width + from, T + v * width + to, 0.0F);
    for (index i = 0; i < n; ++i) {
      if (I[i] < 0 || I[i] >= rows) continue;
      auto* const row = T + I[i] * width;
#pragma omp simd
      for (index d = from; d < to; ++d) row[d] += D[i * width + d];
    }
  }
}

void spmv_transposed(index m, index n, index each, std::int32_t const* __restrict C, float const* __restrict V,
                     float const* __restrict x, float* __restrict y) {
  std::fill(y, y + n, 0.0F);
#pragma omp parallel
  {
    std::vector<float> sums(static_cast<std::size_t>(n));
#pragma omp for nowait
    for (index i = 0; i < m; ++i)
      for (index k = 0; k < each; ++k) {
        auto const j = C[i * each + k];
        if (j >= 0 && j < n) sums[static_cast<std::size_t>(j)] += V[i * each + k] * x[i];
      }
#pragma omp critical
    for (index j = 0; j < n; ++j) y[j] += sums[static_cast<std::size_t>(j)];
  }
}

void tile_histograms(index h, index w, std::uint8_t const* __restrict I, std::int32_t* __restrict H) {
#pragma omp parallel for
  for (index ty = 0; ty < h; ++ty)
    for (index tx = 0; tx < w; ++tx) {
      auto* const counts = H + (ty * w + tx) * 64;
      std::fill(counts, counts + 64, 0);
      for (index y = 0; y < 8; ++y)
        for (index x = 0; x < 8; ++x) ++counts[I[(ty * 8 + y) * 8 * w + tx * 8 + x] / 4];
    }
}

add_functions const all{"openmp",
                        {{"histogram_256", histogram_256},
                         {"histogram_16", histogram_16},
                         {"group_sums", group_sums},
                         {"joint_histogram", joint_histogram},
                         {"embedding_gradient", embedding_gradient},
                         {"spmv_transposed", spmv_transposed},
                         {"tile_histograms", tile_histograms}}};

}  // namespace
