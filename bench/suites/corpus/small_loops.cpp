// SPDX-License-Identifier: Apache-2.0
// Small and thin operators as plain loops.
#include <algorithm>
#include <cmath>

#include "loops.hpp"

namespace {

using namespace ttune_bench::corpus;

void tiny_products(index n, index d, float const* __restrict A, float const* __restrict B, float* __restrict C) {
  auto const multiply = [&](auto size) {
#pragma omp parallel for
    for (index b = 0; b < n; ++b)
      for (index i = 0; i < size; ++i) {
        float const* const a = A + (b * size + i) * size;
        float* __restrict const c = C + (b * size + i) * size;
#pragma omp simd
        for (index j = 0; j < size; ++j) {
          float total = 0;
          for (index k = 0; k < size; ++k) total += a[k] * B[(b * size + k) * size + j];
          c[j] = total;
        }
      }
  };
  if (d == 4) multiply(std::integral_constant<index, 4>());
  else multiply(d);
}

void short_softmax(index m, index n, float const* __restrict X, float* __restrict out) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float const* const x = X + i * n;
    float* __restrict const y = out + i * n;
    float largest = x[0];
    for (index j = 1; j < n; ++j) largest = larger(largest, x[j]);
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index j = 0; j < n; ++j) total += y[j] = std::exp(x[j] - largest);
    float const scale = 1 / total;
#pragma omp simd
    for (index j = 0; j < n; ++j) y[j] *= scale;
  }
}

void matvec_gelu(index m, index k, float const* __restrict W, float const* __restrict x, float const* __restrict b,
                 float* __restrict y) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index j = 0; j < k; ++j) total += W[i * k + j] * x[j];
    float const v = total + b[i];
    y[i] = 0.5F * v * (1 + std::erf(v * 0.70710678F));
  }
}

void inverse3(index n, float const* __restrict A, float* __restrict B) {
#pragma omp parallel for simd
  for (index b = 0; b < n; ++b) {
    float const* const a = A + 9 * b;
    float c[9];
    for (index i = 0; i < 3; ++i)
      for (index j = 0; j < 3; ++j) {
        auto const r = (j + 1) % 3 * 3, s = (j + 2) % 3 * 3, p = (i + 1) % 3, q = (i + 2) % 3;
        c[3 * i + j] = a[r + p] * a[s + q] - a[r + q] * a[s + p];
      }
    float const factor = 1 / (a[0] * c[0] + a[1] * c[3] + a[2] * c[6]);
    for (index e = 0; e < 9; ++e) B[9 * b + e] = c[e] * factor;
  }
}

void quaternion_rotate(index n, float const* __restrict q, float const* __restrict v, float* __restrict out) {
#pragma omp parallel for simd
  for (index i = 0; i < n; ++i) {
    float const w = q[4 * i], x = q[4 * i + 1], y = q[4 * i + 2], z = q[4 * i + 3];
    float const a = v[3 * i], b = v[3 * i + 1], c = v[3 * i + 2];
    float const t = 2 * (y * c - z * b), u = 2 * (z * a - x * c), s = 2 * (x * b - y * a);
    out[3 * i] = a + w * t + y * s - z * u;
    out[3 * i + 1] = b + w * u + z * t - x * s;
    out[3 * i + 2] = c + w * s + x * u - y * t;
  }
}

/// Too short for threads.
void dot(index n, float const* __restrict x, float const* __restrict y, float* __restrict d) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (index i = 0; i < n; ++i) total += x[i] * y[i];
  d[0] = total;
}

/// Too short for threads.
void rank_one(index m, index n, float const* __restrict A, float const* __restrict x, float const* __restrict y,
              float* __restrict B) {
  for (index i = 0; i < m; ++i)
#pragma omp simd
    for (index j = 0; j < n; ++j) B[i * n + j] = A[i * n + j] + 0.5F * x[i] * y[j];
}

/// Computes sixteen inputs in lanes.
void tiny_network(index n, float const* __restrict X, float const* __restrict W1, float const* __restrict b1,
                  float const* __restrict W2, float const* __restrict b2, float* __restrict Y) {
  constexpr index block = 16;
#pragma omp parallel for
  for (index from = 0; from < n; from += block) {
    auto const some = smaller(block, n - from);
    float x[8][block] = {}, h[16][block], y[4][block];
    for (index i = 0; i < some; ++i)
      for (index j = 0; j < 8; ++j) x[j][i] = X[(from + i) * 8 + j];
    for (index k = 0; k < 16; ++k)
#pragma omp simd
      for (index i = 0; i < block; ++i) {
        float total = b1[k];
        for (index j = 0; j < 8; ++j) total += x[j][i] * W1[j * 16 + k];
        h[k][i] = std::tanh(total);
      }
    for (index l = 0; l < 4; ++l)
#pragma omp simd
      for (index i = 0; i < block; ++i) {
        float total = b2[l];
        for (index k = 0; k < 16; ++k) total += h[k][i] * W2[k * 4 + l];
        y[l][i] = total;
      }
    for (index i = 0; i < some; ++i)
      for (index l = 0; l < 4; ++l) Y[(from + i) * 4 + l] = y[l][i];
  }
}

/// Gives each thread columns of its own.
void vector_matrix(index k, index n, float const* __restrict W, float const* __restrict x, float const* __restrict b,
                   float* __restrict y) {
  constexpr index block = 512;
#pragma omp parallel for
  for (index from = 0; from < n; from += block) {
    auto const to = smaller(n, from + block);
    float total[block] = {};
    for (index p = 0; p < k; ++p)
#pragma omp simd
      for (index j = from; j < to; ++j) total[j - from] += x[p] * W[p * n + j];
    for (index j = from; j < to; ++j) y[j] = larger(total[j - from] + b[j], 0.0F);
  }
}

add_functions const all{"openmp",
                        {{"tiny_products", tiny_products},
                         {"short_softmax", short_softmax},
                         {"matvec_gelu", matvec_gelu},
                         {"inverse3", inverse3},
                         {"quaternion_rotate", quaternion_rotate},
                         {"dot", dot},
                         {"rank_one", rank_one},
                         {"tiny_network", tiny_network},
                         {"vector_matrix", vector_matrix}}};

}  // namespace
