// SPDX-License-Identifier: Apache-2.0
// Physics and geometry as plain loops.
#include <cmath>
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;
using std::int32_t;

void nbody(index n, float const* __restrict x, float const* __restrict y, float const* __restrict z,
           float const* __restrict m, float* __restrict ax, float* __restrict ay, float* __restrict az) {
#pragma omp parallel for
  for (index i = 0; i < n; ++i) {
    float a = 0, b = 0, c = 0;
#pragma omp simd reduction(+ : a, b, c)
    for (index j = 0; j < n; ++j) {
      float const dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      float const inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-2F);
      float const pull = m[j] * inverse * inverse * inverse;
      a += pull * dx, b += pull * dy, c += pull * dz;
    }
    ax[i] = a, ay[i] = b, az[i] = c;
  }
}

void lennard_jones(index n, float const* __restrict x, float const* __restrict y, float const* __restrict z,
                   float* __restrict e) {
#pragma omp parallel for
  for (index i = 0; i < n; ++i) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index j = 0; j < n; ++j) {
      float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      dx -= std::rint(dx), dy -= std::rint(dy), dz -= std::rint(dz);
      float const square = dx * dx + dy * dy + dz * dz;
      float const s = 0.01F / (square + 1e-3F), s6 = s * s * s;
      total += i != j && square < 0.09F ? 2 * (s6 * s6 - s6) : 0.0F;
    }
    e[i] = total;
  }
}

/// Computes the points of a row in lanes.
void coulomb_grid(index h, index w, index n, float const* __restrict x, float const* __restrict y,
                  float const* __restrict q, float* __restrict V) {
  constexpr index block = 64;
#pragma omp parallel for collapse(2)
  for (index r = 0; r < h; ++r)
    for (index from = 0; from < w; from += block) {
      float total[block] = {};
      for (index i = 0; i < n; ++i) {
        float const dy = static_cast<float>(r) * 0.1F - y[i];
#pragma omp simd
        for (index c = 0; c < block; ++c) {
          float const dx = static_cast<float>(static_cast<int>(from + c)) * 0.1F - x[i];
          total[c] += q[i] / std::sqrt(dx * dx + dy * dy + 0.5F);
        }
      }
      for (index c = 0; c < smaller(block, w - from); ++c) V[r * w + from + c] = total[c];
    }
}

void haversine(index m, index n, float const* __restrict p1, float const* __restrict l1, float const* __restrict p2,
               float const* __restrict l2, float* __restrict D) {
  std::vector<float> cosines(static_cast<std::size_t>(n));
  float* __restrict const c2 = cosines.data();
#pragma omp simd
  for (index j = 0; j < n; ++j) c2[j] = std::cos(p2[j]);
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float const c1 = std::cos(p1[i]);
#pragma omp simd
    for (index j = 0; j < n; ++j) {
      float const a = std::sin(0.5F * (p2[j] - p1[i])), b = std::sin(0.5F * (l2[j] - l1[i]));
      D[i * n + j] = 12742 * std::sqrt(a * a + c1 * c2[j] * b * b);
    }
  }
}

void wave3d(index n, float const* __restrict U, float const* __restrict P, float const* __restrict V,
            float* __restrict N) {
  constexpr float c[] = {-2.847222F, 1.6F, -0.2F, 0.02539683F, -0.001785714F};
  auto const row = n + 8, plane = row * row;
#pragma omp parallel for collapse(2)
  for (index z = 0; z < n; ++z)
    for (index y = 0; y < n; ++y) {
      float const* const u = U + (z + 4) * plane + (y + 4) * row + 4;
      auto const at = (z * n + y) * n;
#pragma omp simd
      for (index x = 0; x < n; ++x) {
        float total = 3 * c[0] * u[x];
        for (index d = 1; d <= 4; ++d)
          total += c[d] * (u[x + d * plane] + u[x - d * plane] + u[x + d * row] + u[x - d * row] + u[x + d] + u[x - d]);
        N[at + x] = 2 * u[x] - P[at + x] + V[at + x] * total;
      }
    }
}

void lattice_boltzmann(index h, index w, float const* __restrict F, float* __restrict out) {
  constexpr float cx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr float a = 1 / 9.0F, b = 1 / 36.0F, weight[] = {4 / 9.0F, a, a, a, a, b, b, b, b};
  auto const plane = h * w;
#pragma omp parallel for simd
  for (index i = 0; i < plane; ++i) {
    float rho = 0, u = 0, v = 0;
    for (index k = 0; k < 9; ++k) {
      float const f = F[k * plane + i];
      rho += f, u += f * cx[k], v += f * cy[k];
    }
    u /= rho, v /= rho;
    float const square = 1 - 1.5F * (u * u + v * v);
    for (index k = 0; k < 9; ++k) {
      float const along = cx[k] * u + cy[k] * v;
      float const settled = weight[k] * rho * (square + 3 * along + 4.5F * along * along);
      out[k * plane + i] = F[k * plane + i] + 0.6F * (settled - F[k * plane + i]);
    }
  }
}

void sparse_ell(index m, index, index k, float const* __restrict A, int32_t const* __restrict columns,
                float const* __restrict x, float* __restrict y) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index e = 0; e < k; ++e) total += A[i * k + e] * x[columns[i * k + e]];
    y[i] = total;
  }
}

void complex_product(index n, float const* ar, float const* ai, float const* br, float const* bi, float* re,
                     float* im) {
  auto const product = [n](float const* A, float const* B, auto const& store) {
    multiply(n, n, n, [&](index i, index k) { return A[i * n + k]; }, B, n, store);
  };
  product(ar, br, [&](index i, index j, float total) { re[i * n + j] = total; });
  product(ai, bi, [&](index i, index j, float total) { re[i * n + j] -= total; });
  product(ar, bi, [&](index i, index j, float total) { im[i * n + j] = total; });
  product(ai, br, [&](index i, index j, float total) { im[i * n + j] += total; });
}

/// Blends the matrices of the bones first.
void skinning(index n, index, float const* __restrict P, float const* __restrict M, int32_t const* __restrict bones,
              float const* __restrict w, float* __restrict out) {
#pragma omp parallel for
  for (index i = 0; i < n; ++i) {
    float blended[12] = {};
    for (index b = 0; b < 4; ++b)
#pragma omp simd
      for (index e = 0; e < 12; ++e) blended[e] += w[4 * i + b] * M[bones[4 * i + b] * 12 + e];
    for (index d = 0; d < 3; ++d)
      out[3 * i + d] = blended[4 * d] * P[3 * i] + blended[4 * d + 1] * P[3 * i + 1] +
                       blended[4 * d + 2] * P[3 * i + 2] + blended[4 * d + 3];
  }
}

add_functions const all{"openmp",
                        {{"nbody", nbody},
                         {"lennard_jones", lennard_jones},
                         {"coulomb_grid", coulomb_grid},
                         {"haversine", haversine},
                         {"wave3d", wave3d},
                         {"lattice_boltzmann", lattice_boltzmann},
                         {"sparse_ell", sparse_ell},
                         {"complex_product", complex_product},
                         {"skinning", skinning}}};

}  // namespace
