// SPDX-License-Identifier: Apache-2.0
// Operators of complex numbers as plain loops over their parts, which lie side by side.
#include <vector>

#include "loops.hpp"

namespace {

using namespace ttune_bench::corpus;

/// The parts of numbers in planes of their own, which registers of vectors take without shuffles.
template <class T>
struct planes {
  std::vector<T> re, im;
  planes(T const* from, index count) : re(static_cast<std::size_t>(count)), im(static_cast<std::size_t>(count)) {
#pragma omp parallel for simd
    for (index i = 0; i < count; ++i) re[i] = from[2 * i], im[i] = from[2 * i + 1];
  }
};

/// C(i, j) = factor sum(k) A(i, k) B(k, j), of `left(i, k)` in parts; tiles of sums stay in registers.
template <class T, class Left>
void multiply(index m, index n, index k_size, Left const& left, planes<T> const& B, T factor, T* __restrict C) {
  constexpr index rows = 4, columns = 64 / static_cast<index>(sizeof(T));
#pragma omp parallel for collapse(2)
  for (index j0 = 0; j0 < n; j0 += columns)
    for (index i0 = 0; i0 < m; i0 += rows) {
      T re[rows][columns] = {}, im[rows][columns] = {};
      auto const height = smaller(rows, m - i0), width = smaller(columns, n - j0);
      if (height == rows && width == columns) {
        for (index k = 0; k < k_size; ++k) {
          T const* const b = B.re.data() + k * n + j0;
          T const* const c = B.im.data() + k * n + j0;
          for (index r = 0; r < rows; ++r) {
            auto const [x, y] = left(i0 + r, k);
#pragma omp simd
            for (index j = 0; j < columns; ++j) {
              re[r][j] += x * b[j] - y * c[j];
              im[r][j] += x * c[j] + y * b[j];
            }
          }
        }
      } else {
        for (index k = 0; k < k_size; ++k)
          for (index r = 0; r < height; ++r) {
            auto const [x, y] = left(i0 + r, k);
            for (index j = 0; j < width; ++j) {
              T const b = B.re[k * n + j0 + j], c = B.im[k * n + j0 + j];
              re[r][j] += x * b - y * c;
              im[r][j] += x * c + y * b;
            }
          }
      }
      for (index r = 0; r < height; ++r)
        for (index j = 0; j < width; ++j) {
          C[2 * ((i0 + r) * n + j0 + j)] = factor * re[r][j];
          C[2 * ((i0 + r) * n + j0 + j) + 1] = factor * im[r][j];
        }
    }
}

template <class T>
void product(index m, index n, index k_size, T const* A, T const* B, T* C) {
  auto const left = [&](index i, index k) { return std::pair(A[2 * (i * k_size + k)], A[2 * (i * k_size + k) + 1]); };
  multiply<T>(m, n, k_size, left, planes<T>(B, k_size * n), 1, C);
}
void cgemm(index m, index n, index k, float const* A, float const* B, float* C) { product(m, n, k, A, B, C); }
void zgemm(index m, index n, index k, double const* A, double const* B, double* C) { product(m, n, k, A, B, C); }

void antenna_covariance(index times, index n, float const* X, float* R) {
  auto const left = [&](index i, index t) { return std::pair(X[2 * (t * n + i)], -X[2 * (t * n + i) + 1]); };
  multiply<float>(n, n, times, left, planes<float>(X, times * n), 1.0F / static_cast<float>(times), R);
}

void cgemv(index m, index n, float const* __restrict A, float const* __restrict x, float* __restrict y) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float re = 0, im = 0;
    float const* const a = A + 2 * i * n;
#pragma omp simd reduction(+ : re, im)
    for (index k = 0; k < n; ++k) {
      re += a[2 * k] * x[2 * k] - a[2 * k + 1] * x[2 * k + 1];
      im += a[2 * k] * x[2 * k + 1] + a[2 * k + 1] * x[2 * k];
    }
    y[2 * i] = re, y[2 * i + 1] = im;
  }
}

void cdot(index n, float const* __restrict x, float const* __restrict y, float* __restrict s) {
  float re = 0, im = 0;
#pragma omp parallel for simd reduction(+ : re, im)
  for (index i = 0; i < n; ++i) {
    re += x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1];
    im += x[2 * i] * y[2 * i + 1] - x[2 * i + 1] * y[2 * i];
  }
  s[0] = re, s[1] = im;
}

/// A block of results stays in registers for all taps.
void complex_fir(index n, index taps, float const* __restrict x, float const* __restrict h, float* __restrict y) {
  constexpr index block = 32;
#pragma omp parallel for
  for (index i0 = 0; i0 < n; i0 += block) {
    float re[block] = {}, im[block] = {};
    auto const width = smaller(block, n - i0);
    auto const add = [&](index count) {
      for (index r = 0; r < taps; ++r) {
        float const a = h[2 * r], b = h[2 * r + 1];
        float const* const from = x + 2 * (i0 + r);
#pragma omp simd
        for (index i = 0; i < count; ++i) {
          re[i] += a * from[2 * i] - b * from[2 * i + 1];
          im[i] += a * from[2 * i + 1] + b * from[2 * i];
        }
      }
    };
    if (width == block) add(block);
    else add(width);
    for (index i = 0; i < width; ++i) y[2 * (i0 + i)] = re[i], y[2 * (i0 + i) + 1] = im[i];
  }
}

void mix(index channels, index n, float const* __restrict x, float const* __restrict carrier,
         float const* __restrict gain, float* __restrict y) {
#pragma omp parallel for
  for (index c = 0; c < channels; ++c)
#pragma omp simd
    for (index i = 0; i < n; ++i) {
      float const a = gain[c] * x[2 * (c * n + i)], b = gain[c] * x[2 * (c * n + i) + 1];
      y[2 * (c * n + i)] = a * carrier[2 * i] + b * carrier[2 * i + 1];
      y[2 * (c * n + i) + 1] = b * carrier[2 * i] - a * carrier[2 * i + 1];
    }
}

void mean_power(index frames, index n, float const* __restrict X, float* __restrict P) {
  constexpr index block = 256;
#pragma omp parallel for
  for (index f0 = 0; f0 < n; f0 += block) {
    float total[block] = {};
    auto const width = smaller(block, n - f0);
    for (index t = 0; t < frames; ++t) {
      float const* const from = X + 2 * (t * n + f0);
#pragma omp simd
      for (index f = 0; f < width; ++f) total[f] += from[2 * f] * from[2 * f] + from[2 * f + 1] * from[2 * f + 1];
    }
    for (index f = 0; f < width; ++f) P[f0 + f] = total[f] / static_cast<float>(frames);
  }
}

void deconvolve(index rows, index n, float const* __restrict Y, float const* __restrict H, float* __restrict X) {
#pragma omp parallel for
  for (index y = 0; y < rows; ++y)
#pragma omp simd
    for (index f = 0; f < n; ++f) {
      float const a = Y[2 * (y * n + f)], b = Y[2 * (y * n + f) + 1], c = H[2 * f], d = H[2 * f + 1];
      float const scale = 1 / (c * c + d * d + 0.01F);
      X[2 * (y * n + f)] = (a * c + b * d) * scale;
      X[2 * (y * n + f) + 1] = (b * c - a * d) * scale;
    }
}

add_functions const all{"openmp",
                        {{"cgemm", cgemm},
                         {"zgemm", zgemm},
                         {"antenna_covariance", antenna_covariance},
                         {"cgemv", cgemv},
                         {"cdot", cdot},
                         {"complex_fir", complex_fir},
                         {"mix", mix},
                         {"mean_power", mean_power},
                         {"deconvolve", deconvolve}}};

}  // namespace
