// SPDX-License-Identifier: Apache-2.0
// NPBench's kernels as plain loops.
#include <cmath>
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;

void arc_distance(index n, double const* __restrict p1, double const* __restrict l1, double const* __restrict p2,
                  double const* __restrict l2, double* __restrict t) {
#pragma omp parallel for simd
  for (index i = 0; i < n; ++i) {
    double const a = std::sin((p2[i] - p1[i]) / 2), b = std::sin((l2[i] - l1[i]) / 2);
    t[i] = a * a + std::cos(p1[i]) * std::cos(p2[i]) * b * b;
  }
}

void go_fast(index n, double const* __restrict A, double* __restrict out) {
  double trace = 0;
  for (index k = 0; k < n; ++k) trace += std::tanh(A[k * n + k]);
#pragma omp parallel for simd
  for (index i = 0; i < n * n; ++i) out[i] = A[i] + trace;
}

void clip_compute(index m, index n, std::int64_t const* __restrict A, std::int64_t const* __restrict B,
                  std::int64_t* __restrict out) {
#pragma omp parallel for simd
  for (index i = 0; i < m * n; ++i)
    out[i] = smaller(larger(A[i], std::int64_t{2}), std::int64_t{10}) * 4 + B[i] * 3 + 9;
}

void softmax(index m, index n, float const* __restrict X, float* __restrict out) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float const* const x = X + i * n;
    float* __restrict const y = out + i * n;
    float largest = x[0], total = 0;
#pragma omp simd reduction(max : largest)
    for (index j = 0; j < n; ++j) largest = larger(largest, x[j]);
#pragma omp simd reduction(+ : total)
    for (index j = 0; j < n; ++j) total += y[j] = std::exp(x[j] - largest);
    float const scale = 1 / total;
#pragma omp simd
    for (index j = 0; j < n; ++j) y[j] *= scale;
  }
}

void mlp(index n, index a, index b, index c, index d, float const* X, float const* W1, float const* b1, float const* W2,
         float const* b2, float const* W3, float const* b3, float* Y) {
  std::vector<float> H(static_cast<std::size_t>(n * b)), G(static_cast<std::size_t>(n * c));
  float *const h = H.data(), *const g = G.data();
  multiply(
      n, b, a, [&](index i, index k) { return X[i * a + k]; }, W1, b,
      [&](index i, index j, float total) { h[i * b + j] = larger(total + b1[j], 0.0F); });
  multiply(
      n, c, b, [&](index i, index k) { return h[i * b + k]; }, W2, c,
      [&](index i, index j, float total) { g[i * c + j] = larger(total + b2[j], 0.0F); });
  multiply(
      n, d, c, [&](index i, index k) { return g[i * c + k]; }, W3, d,
      [&](index i, index j, float total) { Y[i * d + j] = total + b3[j]; });
}

void conv2d_bias(index n, index size, index k, index ci, index co, float const* __restrict I, float const* __restrict W,
                 float const* __restrict bias, float* __restrict out) {
  auto const to = size - k + 1;
#pragma omp parallel for collapse(2)
  for (index b = 0; b < n; ++b)
    for (index y = 0; y < to; ++y)
      for (index x = 0; x < to; ++x) {
        float* __restrict const o = out + ((b * to + y) * to + x) * co;
        for (index f = 0; f < co; ++f) o[f] = bias[f];
        for (index r = 0; r < k; ++r)
          for (index s = 0; s < k; ++s)
            for (index c = 0; c < ci; ++c) {
              float const pixel = I[((b * size + y + r) * size + x + s) * ci + c];
#pragma omp simd
              for (index f = 0; f < co; ++f) o[f] += pixel * W[((r * k + s) * ci + c) * co + f];
            }
      }
}

/// Computes one column at a time: values that neighbours share are repeated, which costs less than memory.
void hdiff(index h, index w, index depth, double const* __restrict F, double const* __restrict c,
           double* __restrict out) {
  auto const column = depth, row = (w + 4) * depth;
#pragma omp parallel for collapse(2)
  for (index i = 0; i < h; ++i)
    for (index j = 0; j < w; ++j) {
      double const* const f = F + (i + 2) * row + (j + 2) * column;
      auto const at = (i * w + j) * depth;
#pragma omp simd
      for (index k = 0; k < depth; ++k) {
        auto const laplacian = [&](double const* p) {
          return 4 * p[k] - (p[k + row] + p[k - row] + p[k + column] + p[k - column]);
        };
        auto const flux = [&](double const* p, double const* q) {
          double const d = laplacian(q) - laplacian(p);
          return d * (q[k] - p[k]) > 0 ? 0 : d;
        };
        double const x = flux(f, f + row) - flux(f - row, f), y = flux(f, f + column) - flux(f - column, f);
        out[at + k] = f[k] - c[at + k] * (x + y);
      }
    }
}

void cavity_pressure(index n, double const* __restrict u, double const* __restrict v, double const* __restrict p,
                     double* __restrict b, double* __restrict q) {
#pragma omp parallel for
  for (index y = 0; y < n - 2; ++y)
#pragma omp simd
    for (index x = 0; x < n - 2; ++x) {
      auto const i = (y + 1) * n + x + 1, o = y * (n - 2) + x;
      double const ux = (u[i + 1] - u[i - 1]) * 20, uy = (u[i + n] - u[i - n]) * 20;
      double const vx = (v[i + 1] - v[i - 1]) * 20, vy = (v[i + n] - v[i - n]) * 20;
      b[o] = 100 * (ux + vy) - ux * ux - 2 * uy * vx - vy * vy;
      q[o] = 0.25 * (p[i + 1] + p[i - 1] + p[i + n] + p[i - n]) - 0.000625 * b[o];
    }
}

void stockham(index n, float const* __restrict xr, float const* __restrict xi, float const* __restrict wr,
              float const* __restrict wi, float* __restrict yr, float* __restrict yi) {
#pragma omp parallel for simd
  for (index i = 0; i < n; ++i) {
    float r[4], m[4];
    for (index k = 0; k < 4; ++k) {
      auto const at = k * n + i;
      r[k] = xr[at] * wr[at] - xi[at] * wi[at];
      m[k] = xr[at] * wi[at] + xi[at] * wr[at];
    }
    float const ar = r[0] + r[2], br = r[0] - r[2], cr = r[1] + r[3], dr = r[1] - r[3];
    float const am = m[0] + m[2], bm = m[0] - m[2], cm = m[1] + m[3], dm = m[1] - m[3];
    yr[4 * i] = ar + cr, yr[4 * i + 1] = br + dm, yr[4 * i + 2] = ar - cr, yr[4 * i + 3] = br - dm;
    yi[4 * i] = am + cm, yi[4 * i + 1] = bm - dr, yi[4 * i + 2] = am - cm, yi[4 * i + 3] = bm + dr;
  }
}

void self_energies(index energies, index atoms, index near, index n, float const* __restrict G,
                   float const* __restrict D, float* __restrict S) {
  auto const block = n * n;
#pragma omp parallel for collapse(2)
  for (index e = 0; e < energies; ++e)
    for (index a = 0; a < atoms; ++a) {
      float* __restrict const s = S + (e * atoms + a) * block;
      for (index i = 0; i < block; ++i) s[i] = 0;
      for (index w = 0; w < 4; ++w)
        for (index b = 0; b < near; ++b) {
          float const* const g = G + (((e + w) * atoms + a) * near + b) * block;
          float const* const d = D + ((w * atoms + a) * near + b) * block;
          for (index i = 0; i < n; ++i)
            for (index k = 0; k < n; ++k)
#pragma omp simd
              for (index j = 0; j < n; ++j) s[i * n + j] += g[i * n + k] * d[k * n + j];
        }
    }
}

add_functions const all{"openmp",
                        {{"arc_distance", arc_distance},
                         {"go_fast", go_fast},
                         {"clip_compute", clip_compute},
                         {"softmax", softmax},
                         {"mlp", mlp},
                         {"conv2d_bias", conv2d_bias},
                         {"hdiff", hdiff},
                         {"cavity_pressure", cavity_pressure},
                         {"stockham", stockham},
                         {"self_energies", self_energies}}};

}  // namespace
