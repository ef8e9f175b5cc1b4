// SPDX-License-Identifier: Apache-2.0
// Norms and gradients of training as plain loops.
#include <cmath>
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;
using std::int32_t;

void group_norm(index n, index groups, index channels, index size, float const* __restrict in,
                float const* __restrict gamma, float const* __restrict beta, float* __restrict out) {
  auto const plane = size * size, each = channels * plane;
#pragma omp parallel for
  for (index i = 0; i < n * groups; ++i) {
    float const* const x = in + i * each;
    float total = 0, squares = 0;
#pragma omp simd reduction(+ : total, squares)
    for (index j = 0; j < each; ++j) total += x[j], squares += x[j] * x[j];
    float const mean = total / static_cast<float>(each);
    float const scale = 1 / std::sqrt(squares / static_cast<float>(each) - mean * mean + 1e-5F);
    for (index c = 0; c < channels; ++c) {
      auto const at = i % groups * channels + c;
      float const factor = scale * gamma[at], shift = beta[at] - mean * factor;
#pragma omp simd
      for (index j = c * plane; j < (c + 1) * plane; ++j) out[i * each + j] = x[j] * factor + shift;
    }
  }
}

/// Makes one pass over both matrices; each thread sums gradients of the parameters, then the sums are added.
void layer_norm_backward(index m, index n, float const* __restrict X, float const* __restrict dY,
                         float const* __restrict gamma, float const* __restrict mean, float const* __restrict rstd,
                         float* __restrict dX, float* __restrict dgamma, float* __restrict dbeta) {
  for (index j = 0; j < n; ++j) dgamma[j] = dbeta[j] = 0;
#pragma omp parallel
  {
    std::vector<float> mine(static_cast<std::size_t>(2 * n));
    float* __restrict const scales = mine.data();
    float* __restrict const shifts = scales + n;
#pragma omp for
    for (index i = 0; i < m; ++i) {
      float const* const x = X + i * n;
      float const* const y = dY + i * n;
      float a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
      for (index j = 0; j < n; ++j) {
        float const hat = (x[j] - mean[i]) * rstd[i], g = y[j] * gamma[j];
        a += g;
        b += g * hat;
        scales[j] += y[j] * hat;
        shifts[j] += y[j];
      }
      a /= static_cast<float>(n);
      b /= static_cast<float>(n);
#pragma omp simd
      for (index j = 0; j < n; ++j) dX[i * n + j] = rstd[i] * (y[j] * gamma[j] - a - (x[j] - mean[i]) * rstd[i] * b);
    }
#pragma omp critical
    for (index j = 0; j < n; ++j) dgamma[j] += scales[j], dbeta[j] += shifts[j];
  }
}

/// Adds a border of zeros around `dO`; computes the sums of a row and of four channels together.
void conv_input_gradient(index channels, index filters, index size, float const* __restrict dO,
                         float const* __restrict W, float* __restrict dI) {
  constexpr index block = 4;
  auto const wide = size + 2;
  std::vector<float> padded(static_cast<std::size_t>(filters * wide * wide));
  for (index f = 0; f < filters; ++f)
    for (index y = 0; y < size; ++y)
      std::copy_n(dO + (f * size + y) * size, size, padded.data() + (f * wide + y + 1) * wide + 1);
#pragma omp parallel
  {
    std::vector<float> sums(static_cast<std::size_t>(block * size));
    float* __restrict const to = sums.data();
#pragma omp for collapse(2)
    for (index c0 = 0; c0 < channels; c0 += block)
      for (index y = 0; y < size; ++y) {
        auto const some = smaller(block, channels - c0);
        std::fill(sums.begin(), sums.end(), 0.0F);
        for (index f = 0; f < filters; ++f)
          for (index r = 0; r < 3; ++r) {
            float const* const from = padded.data() + (f * wide + y + 2 - r) * wide;
            for (index c = 0; c < some; ++c) {
              float const* const w = W + ((f * channels + c0 + c) * 3 + r) * 3;
#pragma omp simd
              for (index x = 0; x < size; ++x)
                to[c * size + x] += from[x + 2] * w[0] + from[x + 1] * w[1] + from[x] * w[2];
            }
          }
        for (index c = 0; c < some; ++c) std::copy_n(to + c * size, size, dI + ((c0 + c) * size + y) * size);
      }
  }
}

/// Computes nine sums for each pair of channels, over rows with a border of zeros.
void conv_weight_gradient(index n, index channels, index filters, index size, float const* __restrict I,
                          float const* __restrict dO, float* __restrict dW) {
  auto const wide = size + 2;
  std::vector<float> padded(static_cast<std::size_t>(n * channels * wide * wide));
  for (index i = 0; i < n * channels; ++i)
    for (index y = 0; y < size; ++y)
      std::copy_n(I + (i * size + y) * size, size, padded.data() + (i * wide + y + 1) * wide + 1);
#pragma omp parallel for collapse(2)
  for (index f = 0; f < filters; ++f)
    for (index c = 0; c < channels; ++c) {
      float t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0, t5 = 0, t6 = 0, t7 = 0, t8 = 0;
      for (index b = 0; b < n; ++b)
        for (index y = 0; y < size; ++y) {
          float const* const p = padded.data() + ((b * channels + c) * wide + y) * wide;
          float const* const q = p + wide;
          float const* const r = q + wide;
          float const* const d = dO + ((b * filters + f) * size + y) * size;
#pragma omp simd reduction(+ : t0, t1, t2, t3, t4, t5, t6, t7, t8)
          for (index x = 0; x < size; ++x) {
            t0 += d[x] * p[x], t1 += d[x] * p[x + 1], t2 += d[x] * p[x + 2];
            t3 += d[x] * q[x], t4 += d[x] * q[x + 1], t5 += d[x] * q[x + 2];
            t6 += d[x] * r[x], t7 += d[x] * r[x + 1], t8 += d[x] * r[x + 2];
          }
        }
      float const all[] = {t0, t1, t2, t3, t4, t5, t6, t7, t8};
      std::copy_n(all, 9, dW + (f * channels + c) * 9);
    }
}

void softmax_backward(index m, index n, float const* __restrict Y, float const* __restrict dY, float* __restrict dX) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index j = i * n; j < (i + 1) * n; ++j) total += Y[j] * dY[j];
#pragma omp simd
    for (index j = i * n; j < (i + 1) * n; ++j) dX[j] = Y[j] * (dY[j] - total);
  }
}

std::vector<float> transposed(index m, index n, float const* A) {
  std::vector<float> T(static_cast<std::size_t>(m * n));
#pragma omp parallel for
  for (index i0 = 0; i0 < m; i0 += 16)
    for (index j = 0; j < n; ++j)
      for (index i = i0; i < smaller(i0 + 16, m); ++i) T[static_cast<std::size_t>(j * m + i)] = A[i * n + j];
  return T;
}

void attention_backward(index n, index d, float const* P, float const* Q, float const* K, float const* V,
                        float const* dO, float* dQ, float* dK, float* dV) {
  auto const Vt = transposed(n, d, V);
  std::vector<float> scores(static_cast<std::size_t>(n * n));
  float* const dS = scores.data();
  auto const into = [d](float* to) { return [to, d](index i, index j, float total) { to[i * d + j] = total; }; };
  multiply(n, d, n, [&](index j, index i) { return P[i * n + j]; }, dO, d, into(dV));
  multiply(
      n, n, d, [&](index i, index k) { return dO[i * d + k]; }, Vt.data(), n,
      [&](index i, index j, float total) { dS[i * n + j] = total; });
  softmax_backward(n, n, P, std::vector<float>(scores).data(), dS);
  multiply(n, d, n, [&](index i, index j) { return dS[i * n + j]; }, K, d, into(dQ));
  multiply(n, d, n, [&](index j, index i) { return dS[i * n + j]; }, Q, d, into(dK));
}

void batch_norm(index n, index channels, index size, float const* __restrict X, float const* __restrict gamma,
                float const* __restrict beta, float* __restrict Y, float* __restrict mean, float* __restrict rstd) {
  auto const plane = size * size;
  auto const all = static_cast<float>(n * plane);
#pragma omp parallel for
  for (index c = 0; c < channels; ++c) {
    float total = 0, squares = 0;
    for (index b = 0; b < n; ++b) {
      float const* const x = X + (b * channels + c) * plane;
#pragma omp simd reduction(+ : total, squares)
      for (index i = 0; i < plane; ++i) total += x[i], squares += x[i] * x[i];
    }
    mean[c] = total / all;
    rstd[c] = 1 / std::sqrt(squares / all - mean[c] * mean[c] + 1e-5F);
    float const factor = rstd[c] * gamma[c], shift = beta[c] - mean[c] * factor;
    for (index b = 0; b < n; ++b) {
      auto const from = (b * channels + c) * plane;
#pragma omp simd
      for (index i = from; i < from + plane; ++i) Y[i] = X[i] * factor + shift;
    }
  }
}

void gelu_backward(index n, float const* __restrict X, float const* __restrict dY, float* __restrict dX) {
#pragma omp parallel for simd
  for (index i = 0; i < n; ++i) {
    float const x = X[i];
    dX[i] = dY[i] * (0.5F * (1 + std::erf(x * 0.70710678F)) + x * 0.39894228F * std::exp(-0.5F * x * x));
  }
}

void embedding(index n, index, index width, int32_t const* __restrict tokens, float const* __restrict W,
               float const* __restrict P, float* __restrict out) {
#pragma omp parallel for
  for (index i = 0; i < n; ++i)
#pragma omp simd
    for (index d = 0; d < width; ++d) out[i * width + d] = W[tokens[i] * width + d] + P[i * width + d];
}

void cross_entropy(index m, index n, float const* __restrict X, int32_t const* __restrict labels,
                   float* __restrict loss) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float const* const x = X + i * n;
    float largest = x[0], total = 0;
#pragma omp simd reduction(max : largest)
    for (index j = 0; j < n; ++j) largest = larger(largest, x[j]);
#pragma omp simd reduction(+ : total)
    for (index j = 0; j < n; ++j) total += std::exp(x[j] - largest);
    loss[i] = std::log(total) + largest - x[labels[i]];
  }
}

void adam(index n, float const* __restrict w, float const* __restrict g, float const* __restrict m,
          float const* __restrict v, float* __restrict W, float* __restrict M, float* __restrict V) {
#pragma omp parallel for simd
  for (index i = 0; i < n; ++i) {
    M[i] = 0.9F * m[i] + 0.1F * g[i];
    V[i] = 0.999F * v[i] + 0.001F * g[i] * g[i];
    W[i] = w[i] - 0.001F * (1.2F * M[i] / (std::sqrt(1.5F * V[i]) + 1e-8F) + 0.01F * w[i]);
  }
}

void rms_norm_backward(index m, index n, float const* __restrict X, float const* __restrict dY,
                       float const* __restrict gamma, float* __restrict dX) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float const* const x = X + i * n;
    float const* const g = dY + i * n;
    float squares = 0, total = 0;
#pragma omp simd reduction(+ : squares, total)
    for (index j = 0; j < n; ++j) squares += x[j] * x[j], total += g[j] * gamma[j] * x[j];
    float const r = 1 / std::sqrt(squares / static_cast<float>(n) + 1e-5F);
    float const d = r * r * total / static_cast<float>(n);
#pragma omp simd
    for (index j = 0; j < n; ++j) dX[i * n + j] = r * (g[j] * gamma[j] - x[j] * d);
  }
}

void max_pool_backward(index channels, index size, float const* __restrict X, float const* __restrict dY,
                       float* __restrict dX) {
#pragma omp parallel for
  for (index i = 0; i < channels * size; ++i) {
    float const* const p = X + 4 * i * size;
    float const* const q = p + 2 * size;
    float* const a = dX + 4 * i * size;
    float* const b = a + 2 * size;
#pragma omp simd
    for (index x = 0; x < size; ++x) {
      float const largest = larger(larger(p[2 * x], p[2 * x + 1]), larger(q[2 * x], q[2 * x + 1]));
      float const d = dY[i * size + x];
      a[2 * x] = p[2 * x] == largest ? d : 0;
      a[2 * x + 1] = p[2 * x + 1] == largest ? d : 0;
      b[2 * x] = q[2 * x] == largest ? d : 0;
      b[2 * x + 1] = q[2 * x + 1] == largest ? d : 0;
    }
  }
}

add_functions const all{"openmp",
                        {{"group_norm", group_norm},
                         {"layer_norm_backward", layer_norm_backward},
                         {"conv_input_gradient", conv_input_gradient},
                         {"conv_weight_gradient", conv_weight_gradient},
                         {"softmax_backward", softmax_backward},
                         {"attention_backward", attention_backward},
                         {"batch_norm", batch_norm},
                         {"gelu_backward", gelu_backward},
                         {"embedding", embedding},
                         {"cross_entropy", cross_entropy},
                         {"adam", adam},
                         {"rms_norm_backward", rms_norm_backward},
                         {"max_pool_backward", max_pool_backward}}};

}  // namespace
