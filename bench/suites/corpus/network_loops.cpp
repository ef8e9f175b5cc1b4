// SPDX-License-Identifier: Apache-2.0
// Parts of neural networks as plain loops.
#include <cmath>
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;
using std::int32_t;
using std::int8_t;
using std::uint8_t;

void rms_norm(index m, index n, float const* __restrict X, float const* __restrict gamma, float* __restrict out) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float const* const x = X + i * n;
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index j = 0; j < n; ++j) total += x[j] * x[j];
    float const scale = 1 / std::sqrt(total / static_cast<float>(n) + 1e-5F);
#pragma omp simd
    for (index j = 0; j < n; ++j) out[i * n + j] = x[j] * scale * gamma[j];
  }
}

void rotary(index n, index heads, index d, float const* __restrict X, float const* __restrict C,
            float const* __restrict S, float* __restrict out) {
#pragma omp parallel for collapse(2)
  for (index i = 0; i < n; ++i)
    for (index h = 0; h < heads; ++h) {
      float const* const x = X + (i * heads + h) * 2 * d;
      float* __restrict const o = out + (i * heads + h) * 2 * d;
#pragma omp simd
      for (index e = 0; e < d; ++e) {
        float const a = x[2 * e], b = x[2 * e + 1], c = C[i * d + e], s = S[i * d + e];
        o[2 * e] = a * c - b * s;
        o[2 * e + 1] = b * c + a * s;
      }
    }
}

void swiglu(index m, index n, float const* __restrict G, float const* __restrict U, float* __restrict out) {
#pragma omp parallel for simd
  for (index i = 0; i < m * n; ++i) out[i] = G[i] / (1 + std::exp(-G[i])) * U[i];
}

/// Computes both products, then combines the results in a second pass.
void gated_mlp(index m, index n, index k, float const* X, float const* G, float const* U, float* out) {
  std::vector<float> gates(static_cast<std::size_t>(m * n));
  float* const g = gates.data();
  auto const x = [&](index i, index p) { return X[i * k + p]; };
  multiply(m, n, k, x, G, n, [&](index i, index j, float total) { g[i * n + j] = total; });
  multiply(m, n, k, x, U, n, [&](index i, index j, float total) { out[i * n + j] = total; });
#pragma omp parallel for simd
  for (index i = 0; i < m * n; ++i) out[i] *= g[i] / (1 + std::exp(-g[i]));
}

void decode_attention(index heads, index n, index d, float const* __restrict Q, float const* __restrict K,
                      float const* __restrict V, float* __restrict out) {
  float const factor = 1 / std::sqrt(static_cast<float>(d));
#pragma omp parallel
  {
    std::vector<float> scores(static_cast<std::size_t>(n));
    float* __restrict const s = scores.data();
#pragma omp for
    for (index h = 0; h < heads; ++h) {
      float const* const q = Q + h * d;
      float largest = -3e38F, total = 0;
      for (index j = 0; j < n; ++j) {
        float const* const k = K + (h * n + j) * d;
        float score = 0;
#pragma omp simd reduction(+ : score)
        for (index e = 0; e < d; ++e) score += q[e] * k[e];
        s[j] = score * factor;
        largest = larger(largest, s[j]);
      }
#pragma omp simd reduction(+ : total)
      for (index j = 0; j < n; ++j) total += s[j] = std::exp(s[j] - largest);
      float* __restrict const o = out + h * d;
      for (index e = 0; e < d; ++e) o[e] = 0;
      for (index j = 0; j < n; ++j)
#pragma omp simd
        for (index e = 0; e < d; ++e) o[e] += s[j] * V[(h * n + j) * d + e];
      for (index e = 0; e < d; ++e) o[e] /= total;
    }
  }
}

/// Uses weights as 16 bits, four rows and 64 columns at a time.
void quantised_dense(index m, index n, index k, uint8_t const* __restrict X, int8_t const* __restrict W,
                     float const* __restrict scale, int32_t const* __restrict bias, uint8_t* __restrict out) {
  constexpr index rows = 4, columns = 32;
#pragma omp parallel for collapse(2)
  for (index j0 = 0; j0 < n; j0 += columns)
    for (index i0 = 0; i0 < m; i0 += rows) {
      auto const height = smaller(rows, m - i0), width = smaller(columns, n - j0);
      int32_t total[rows][columns] = {};
      if (height == rows && width == columns) {
        for (index p = 0; p < k; ++p)
          for (index r = 0; r < rows; ++r) {
            int32_t const left = X[(i0 + r) * k + p];
#pragma omp simd
            for (index c = 0; c < columns; ++c) total[r][c] += left * W[p * n + j0 + c];
          }
      } else {
        for (index p = 0; p < k; ++p)
          for (index r = 0; r < height; ++r)
            for (index c = 0; c < width; ++c) total[r][c] += X[(i0 + r) * k + p] * W[p * n + j0 + c];
      }
      for (index r = 0; r < height; ++r)
#pragma omp simd
        for (index c = 0; c < width; ++c) {
          float const value = std::rint(static_cast<float>(total[r][c] + bias[j0 + c]) * scale[j0 + c] + 128);
          out[(i0 + r) * n + j0 + c] = static_cast<uint8_t>(smaller(larger(value, 0.0F), 255.0F));
        }
    }
}

void int4_matvec(index m, index k, uint8_t const* __restrict W, float const* __restrict scale,
                 float const* __restrict x, float* __restrict y) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float total = 0;
    for (index g = 0; g < k / 32; ++g) {
      uint8_t const* const w = W + i * (k / 2) + g * 16;
      float const* const v = x + g * 32;
      float part = 0;
#pragma omp simd reduction(+ : part)
      for (index e = 0; e < 16; ++e)
        part += static_cast<float>((w[e] & 15) - 8) * v[e] + static_cast<float>((w[e] >> 4) - 8) * v[e + 16];
      total += part * scale[i * (k / 32) + g];
    }
    y[i] = total;
  }
}

void squeeze_excite(index channels, index reduced, index size, float const* __restrict X, float const* __restrict W1,
                    float const* __restrict W2, float* __restrict out) {
  auto const plane = size * size;
  std::vector<float> means(static_cast<std::size_t>(channels)), hidden(static_cast<std::size_t>(reduced));
  float *const mean = means.data(), *const h = hidden.data();
#pragma omp parallel for
  for (index c = 0; c < channels; ++c) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index i = c * plane; i < (c + 1) * plane; ++i) total += X[i];
    mean[c] = total / static_cast<float>(plane);
  }
  for (index r = 0; r < reduced; ++r) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index c = 0; c < channels; ++c) total += W1[r * channels + c] * mean[c];
    h[r] = larger(total, 0.0F);
  }
#pragma omp parallel for
  for (index c = 0; c < channels; ++c) {
    float total = 0;
    for (index r = 0; r < reduced; ++r) total += W2[c * reduced + r] * h[r];
    float const gate = 1 / (1 + std::exp(-total));
#pragma omp simd
    for (index i = c * plane; i < (c + 1) * plane; ++i) out[i] = X[i] * gate;
  }
}

void image_to_tensor(index h, index w, uint8_t const* __restrict in, float* __restrict out) {
  constexpr float mean[] = {0.485F, 0.456F, 0.406F}, factor[] = {1 / 0.229F, 1 / 0.224F, 1 / 0.225F};
  auto const plane = h * w;
#pragma omp parallel for simd
  for (index i = 0; i < plane; ++i)
    for (index c = 0; c < 3; ++c)
      out[c * plane + i] = (static_cast<float>(in[3 * i + c]) * (1 / 255.0F) - mean[c]) * factor[c];
}

add_functions const all{"openmp",
                        {{"rms_norm", rms_norm},
                         {"rotary", rotary},
                         {"swiglu", swiglu},
                         {"gated_mlp", gated_mlp},
                         {"decode_attention", decode_attention},
                         {"quantised_dense", quantised_dense},
                         {"int4_matvec", int4_matvec},
                         {"squeeze_excite", squeeze_excite},
                         {"image_to_tensor", image_to_tensor}}};

}  // namespace
