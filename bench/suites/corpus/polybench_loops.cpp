// SPDX-License-Identifier: Apache-2.0
// PolyBench's kernels as plain loops: products in blocks of registers, vectors in one pass over their matrix.
#include <cmath>
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;
using std::size_t;

constexpr double alpha = 1.5, beta = 1.2;

std::vector<double> zeros(index n) { return std::vector<double>(static_cast<size_t>(n)); }

void gemm(index m, index n, index k, double const* A, double const* B, double const* C, double* D) {
  multiply(
      m, n, k, [&](index i, index p) { return A[i * k + p]; }, B, n,
      [&](index i, index j, double total) { D[i * n + j] = alpha * total + beta * C[i * n + j]; });
}

void two_mm(index ni, index nj, index nk, index nl, double const* A, double const* B, double const* C, double const* D,
            double* E) {
  auto T = zeros(ni * nj);
  multiply(
      ni, nj, nk, [&](index i, index p) { return A[i * nk + p]; }, B, nj,
      [&](index i, index j, double total) { T[static_cast<size_t>(i * nj + j)] = alpha * total; });
  multiply(
      ni, nl, nj, [&](index i, index p) { return T[static_cast<size_t>(i * nj + p)]; }, C, nl,
      [&](index i, index j, double total) { E[i * nl + j] = total + beta * D[i * nl + j]; });
}

void plain_product(index m, index n, index k, double const* A, double const* B, double* C) {
  multiply(
      m, n, k, [&](index i, index p) { return A[i * k + p]; }, B, n,
      [&](index i, index j, double total) { C[i * n + j] = total; });
}

void three_mm(index ni, index nj, index nk, index nl, index nm, double const* A, double const* B, double const* C,
              double const* D, double* G) {
  auto E = zeros(ni * nj), F = zeros(nj * nl);
  plain_product(ni, nj, nk, A, B, E.data());
  plain_product(nj, nl, nm, C, D, F.data());
  plain_product(ni, nl, nj, E.data(), F.data(), G);
}

/// Calls rows(row, this thread's sums of columns) for all rows; `to` gets the sums of all threads.
template <class Row>
void sum_of_rows(index rows, index columns, double* __restrict to, Row const& each) {
  for (index j = 0; j < columns; ++j) to[j] = 0;
#pragma omp parallel
  {
    auto mine = zeros(columns);
#pragma omp for
    for (index i = 0; i < rows; ++i) each(i, mine.data());
#pragma omp critical
    for (index j = 0; j < columns; ++j) to[j] += mine[static_cast<size_t>(j)];
  }
}

double dot(index n, double const* __restrict a, double const* __restrict b) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (index j = 0; j < n; ++j) total += a[j] * b[j];
  return total;
}

void add(index n, double factor, double const* __restrict from, double* __restrict to) {
#pragma omp simd
  for (index j = 0; j < n; ++j) to[j] += factor * from[j];
}

void atax(index m, index n, double const* A, double const* x, double* y) {
  sum_of_rows(m, n, y, [&](index i, double* mine) { add(n, dot(n, A + i * n, x), A + i * n, mine); });
}

void bicg(index m, index n, double const* A, double const* p, double const* r, double* s, double* q) {
  sum_of_rows(n, m, s, [&](index i, double* mine) {
    add(m, r[i], A + i * m, mine);
    q[i] = dot(m, A + i * m, p);
  });
}

void mvt(index n, double const* A, double const* x1, double const* x2, double const* y1, double const* y2, double* o1,
         double* o2) {
  sum_of_rows(n, n, o2, [&](index i, double* mine) {
    add(n, y2[i], A + i * n, mine);
    o1[i] = x1[i] + dot(n, A + i * n, y1);
  });
  for (index j = 0; j < n; ++j) o2[j] += x2[j];
}

void gemver(index n, double const* A, double const* u1, double const* v1, double const* u2, double const* v2,
            double const* y, double const* z, double* B, double* x, double* w) {
  sum_of_rows(n, n, x, [&](index i, double* mine) {
    double const* __restrict const a = A + i * n;
    double* __restrict const b = B + i * n;
#pragma omp simd
    for (index j = 0; j < n; ++j) {
      b[j] = a[j] + u1[i] * v1[j] + u2[i] * v2[j];
      mine[j] += b[j] * y[i];
    }
  });
  for (index j = 0; j < n; ++j) x[j] = beta * x[j] + z[j];
#pragma omp parallel for
  for (index i = 0; i < n; ++i) w[i] = alpha * dot(n, B + i * n, x);
}

void gesummv(index n, double const* A, double const* B, double const* x, double* y) {
#pragma omp parallel for
  for (index i = 0; i < n; ++i) y[i] = alpha * dot(n, A + i * n, x) + beta * dot(n, B + i * n, x);
}

std::vector<double> transposed(index m, index n, double const* A) {
  auto T = zeros(m * n);
#pragma omp parallel for
  for (index i0 = 0; i0 < m; i0 += 8)
    for (index j = 0; j < n; ++j)
      for (index i = i0; i < smaller(i0 + 8, m); ++i) T[static_cast<size_t>(j * m + i)] = A[i * n + j];
  return T;
}

/// Calls store(i, j, sum over k of A[i][k] * B[j][k]) for the lower triangle, with columns in lanes.
template <class Store>
void lower_products(index m, index n, double const* A, double const* Bt, Store const& store) {
  constexpr index rows = 4, columns = 16;
#pragma omp parallel for schedule(dynamic, 4)
  for (index i0 = 0; i0 < n; i0 += rows)
    for (index j0 = 0; j0 < smaller(i0 + rows, n); j0 += columns) {
      double total[rows][columns] = {};
      auto const width = smaller(columns, n - j0), height = smaller(rows, n - i0);
      if (width == columns && height == rows) {
        for (index k = 0; k < m; ++k)
          for (index r = 0; r < rows; ++r)
#pragma omp simd
            for (index c = 0; c < columns; ++c) total[r][c] += A[(i0 + r) * m + k] * Bt[k * n + j0 + c];
      } else {
        for (index k = 0; k < m; ++k)
          for (index r = 0; r < height; ++r)
            for (index c = 0; c < width; ++c) total[r][c] += A[(i0 + r) * m + k] * Bt[k * n + j0 + c];
      }
      for (index r = 0; r < height; ++r)
        for (index c = 0; c < width; ++c)
          if (j0 + c <= i0 + r) store(i0 + r, j0 + c, total[r][c]);
    }
}

void copy_upper(index n, double const* __restrict C, double* __restrict D) {
#pragma omp parallel for
  for (index i = 0; i < n; ++i)
#pragma omp simd
    for (index j = i + 1; j < n; ++j) D[i * n + j] = C[i * n + j];
}

void syrk(index m, index n, double const* A, double const* C, double* D) {
  auto const T = transposed(n, m, A);
  lower_products(m, n, A, T.data(),
                 [&](index i, index j, double total) { D[i * n + j] = beta * C[i * n + j] + alpha * total; });
  copy_upper(n, C, D);
}

void syr2k(index m, index n, double const* A, double const* B, double const* C, double* D) {
  auto const At = transposed(n, m, A), Bt = transposed(n, m, B);
  lower_products(m, n, B, At.data(),
                 [&](index i, index j, double total) { D[i * n + j] = beta * C[i * n + j] + alpha * total; });
  lower_products(m, n, A, Bt.data(), [&](index i, index j, double total) { D[i * n + j] += alpha * total; });
  copy_upper(n, C, D);
}

void symm(index m, index n, double const* A, double const* B, double const* C, double* D) {
  auto whole = zeros(m * m);
#pragma omp parallel for
  for (index i = 0; i < m; ++i)
    for (index k = 0; k < m; ++k) whole[static_cast<size_t>(i * m + k)] = k <= i ? A[i * m + k] : A[k * m + i];
  multiply(
      m, n, m, [&](index i, index k) { return whole[static_cast<size_t>(i * m + k)]; }, B, n,
      [&](index i, index j, double total) { D[i * n + j] = beta * C[i * n + j] + alpha * total; });
}

void trmm(index m, index n, double const* A, double const* B, double* D) {
  multiply_from(
      m, n, m, [&](index i, index k) { return k > i ? A[k * m + i] : 0.0; }, B, n,
      [&](index i, index j, double total) { D[i * n + j] = alpha * (B[i * n + j] + total); },
      [](index first) { return first + 1; });
}

void doitgen(index nq, index nr, index np, double const* A, double const* C, double* B) {
  plain_product(nr * nq, np, np, A, C, B);
}

/// Returns the means of columns, or the sums of their squares.
std::vector<double> column_sums(index m, index n, double const* data, bool squares) {
  auto sums = zeros(m);
  sum_of_rows(n, m, sums.data(), [&](index k, double* __restrict mine) {
    double const* __restrict const row = data + k * m;
    if (squares) {
#pragma omp simd
      for (index j = 0; j < m; ++j) mine[j] += row[j] * row[j];
    } else {
#pragma omp simd
      for (index j = 0; j < m; ++j) mine[j] += row[j];
    }
  });
  return sums;
}

/// Computes the lower triangle of D' D, and mirrors it.
void symmetric_product(index m, index n, double const* data, double factor, double* out) {
  auto const T = transposed(n, m, data);
  lower_products(n, m, T.data(), data, [&](index i, index j, double total) {
    out[i * m + j] = factor * total;
    out[j * m + i] = factor * total;
  });
}

void covariance(index m, index n, double const* data, double* cov) {
  auto const sums = column_sums(m, n, data, false);
  auto centred = zeros(n * m);
  double* __restrict const c = centred.data();
#pragma omp parallel for
  for (index k = 0; k < n; ++k)
#pragma omp simd
    for (index j = 0; j < m; ++j)
      c[k * m + j] = data[k * m + j] - sums[static_cast<size_t>(j)] / static_cast<double>(n);
  symmetric_product(m, n, c, 1 / static_cast<double>(n - 1), cov);
}

void correlation(index m, index n, double const* data, double* corr) {
  auto const sums = column_sums(m, n, data, false);
  auto centred = zeros(n * m);
  double* __restrict const c = centred.data();
#pragma omp parallel for
  for (index k = 0; k < n; ++k)
#pragma omp simd
    for (index j = 0; j < m; ++j)
      c[k * m + j] = data[k * m + j] - sums[static_cast<size_t>(j)] / static_cast<double>(n);
  auto factors = column_sums(m, n, c, true);
  for (auto& f : factors) {
    auto const deviation = std::sqrt(f / static_cast<double>(n));
    f = 1 / (std::sqrt(static_cast<double>(n)) * (deviation <= 0.1 ? 1 : deviation));
  }
#pragma omp parallel for
  for (index k = 0; k < n; ++k)
#pragma omp simd
    for (index j = 0; j < m; ++j) c[k * m + j] *= factors[static_cast<size_t>(j)];
  symmetric_product(m, n, c, 1, corr);
  for (index j = 0; j < m; ++j) corr[j * m + j] = 1;
}

/// Too short for threads.
void jacobi_1d(index n, double const* __restrict A, double* __restrict B) {
#pragma omp simd
  for (index i = 0; i < n - 2; ++i) B[i] = 0.33333 * (A[i] + A[i + 1] + A[i + 2]);
}

void jacobi_2d(index n, double const* __restrict A, double* __restrict B) {
#pragma omp parallel for
  for (index i = 0; i < n - 2; ++i) {
    double const* const a = A + i * n;
    double const* const b = a + n;
    double const* const c = b + n;
#pragma omp simd
    for (index j = 0; j < n - 2; ++j) B[i * (n - 2) + j] = 0.2 * (b[j + 1] + b[j] + b[j + 2] + c[j + 1] + a[j + 1]);
  }
}

void heat_3d(index n, double const* __restrict A, double* __restrict B) {
  auto const plane = n * n;
#pragma omp parallel for collapse(2)
  for (index i = 0; i < n - 2; ++i)
    for (index j = 0; j < n - 2; ++j) {
      double const* const c = A + (i + 1) * plane + (j + 1) * n + 1;
      double* __restrict const to = B + (i * (n - 2) + j) * (n - 2);
#pragma omp simd
      for (index k = 0; k < n - 2; ++k)
        to[k] = 0.125 * (c[k + plane] + c[k - plane] + c[k + n] + c[k - n] + c[k + 1] + c[k - 1] - 6 * c[k]) + c[k];
    }
}

void fdtd_2d(index nx, index ny, double const* __restrict ex, double const* __restrict ey, double const* __restrict hz,
             double const* __restrict source, double* __restrict Ex, double* __restrict Ey, double* __restrict Hz) {
#pragma omp parallel
  {
#pragma omp for
    for (index i = 0; i < nx; ++i) {
      double const* const h = hz + i * ny;
      if (i == 0) std::fill_n(Ey, ny, source[0]);
      else
#pragma omp simd
        for (index j = 0; j < ny; ++j) Ey[i * ny + j] = ey[i * ny + j] - 0.5 * (h[j] - h[j - ny]);
      Ex[i * ny] = ex[i * ny];
#pragma omp simd
      for (index j = 1; j < ny; ++j) Ex[i * ny + j] = ex[i * ny + j] - 0.5 * (h[j] - h[j - 1]);
    }
#pragma omp for
    for (index i = 0; i < nx; ++i) {
      auto const columns = i < nx - 1 ? ny - 1 : 0;
#pragma omp simd
      for (index j = 0; j < columns; ++j)
        Hz[i * ny + j] =
            hz[i * ny + j] - 0.7 * (Ex[i * ny + j + 1] - Ex[i * ny + j] + Ey[(i + 1) * ny + j] - Ey[i * ny + j]);
      for (index j = columns; j < ny; ++j) Hz[i * ny + j] = hz[i * ny + j];
    }
  }
}

add_functions const all{"openmp",
                        {{"gemm", gemm},
                         {"two_mm", two_mm},
                         {"three_mm", three_mm},
                         {"atax", atax},
                         {"bicg", bicg},
                         {"mvt", mvt},
                         {"gemver", gemver},
                         {"gesummv", gesummv},
                         {"syrk", syrk},
                         {"syr2k", syr2k},
                         {"symm", symm},
                         {"trmm", trmm},
                         {"doitgen", doitgen},
                         {"covariance", covariance},
                         {"correlation", correlation},
                         {"jacobi_1d", jacobi_1d},
                         {"jacobi_2d", jacobi_2d},
                         {"heat_3d", heat_3d},
                         {"fdtd_2d", fdtd_2d}}};

}  // namespace
