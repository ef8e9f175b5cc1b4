// SPDX-License-Identifier: Apache-2.0
// Halide's apps as plain loops: layers of networks.
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;

/// Computes four pixels and 32 filters at a time in registers.
void conv_layer(index n, index h, index w, index ci, index co, float const* __restrict in,
                float const* __restrict weights, float const* __restrict bias, float* __restrict out) {
  for (index b = 0; b < n; ++b) {
    auto const pixels = h * w;
    auto const from = [&](index i) { return in + ((b * (h + 2) + i / w) * (w + 2) + i % w) * ci; };
    multiply(
        pixels, co, 9 * ci, [&](index i, index p) { return from(i)[p / (3 * ci) * (w + 2) * ci + p % (3 * ci)]; },
        weights, co,
        [&](index i, index f, float total) { out[(b * pixels + i) * co + f] = larger(total + bias[f], 0.0F); });
  }
}

void depthwise_separable(index n, index h, index w, index ci, index co, float const* __restrict in,
                         float const* __restrict D, float const* __restrict P, float const* __restrict bias,
                         float* __restrict out) {
#pragma omp parallel
  {
    std::vector<float> middle(static_cast<std::size_t>(ci)), totals(static_cast<std::size_t>(co));
    float* __restrict const m = middle.data();
    float* __restrict const t = totals.data();
#pragma omp for collapse(2)
    for (index b = 0; b < n; ++b)
      for (index y = 0; y < h; ++y)
        for (index x = 0; x < w; ++x) {
          float const* const p = in + ((b * (h + 2) + y) * (w + 2) + x) * ci;
#pragma omp simd
          for (index c = 0; c < ci; ++c) {
            float total = 0;
            for (index r = 0; r < 3; ++r)
              for (index s = 0; s < 3; ++s) total += p[(r * (w + 2) + s) * ci + c] * D[(r * 3 + s) * ci + c];
            m[c] = total;
          }
          for (index f = 0; f < co; ++f) t[f] = bias[f];
          for (index c = 0; c < ci; ++c)
#pragma omp simd
            for (index f = 0; f < co; ++f) t[f] += m[c] * P[c * co + f];
#pragma omp simd
          for (index f = 0; f < co; ++f) out[((b * h + y) * w + x) * co + f] = larger(t[f], 0.0F);
        }
  }
}

add_functions const all{"openmp", {{"conv_layer", conv_layer}, {"depthwise_separable", depthwise_separable}}};

}  // namespace
