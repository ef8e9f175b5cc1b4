// SPDX-License-Identifier: Apache-2.0
// Products of the corpus by OpenBLAS: the routine that suits the operator best, and copies where it updates in place.
#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "loops.hpp"

namespace {

using namespace ttune_bench::corpus;

constexpr double alpha = 1.5, beta = 1.2;
constexpr auto rows = CblasRowMajor;
constexpr auto as_is = CblasNoTrans;
constexpr auto transposed = CblasTrans;

int narrow(index extent) {
  openblas_set_num_threads(omp_get_max_threads());
  return static_cast<int>(extent);
}
std::vector<double> doubles(index n) { return std::vector<double>(static_cast<std::size_t>(n)); }

/// C = factor A B + keep C
void multiply(index m, index n, index k, double factor, double const* A, double const* B, double keep, double* C) {
  cblas_dgemm(rows, as_is, as_is, narrow(m), narrow(n), narrow(k), factor, A, narrow(k), B, narrow(n), keep, C,
              narrow(n));
}
/// y = factor A x + keep y; with `t`, A is transposed
void multiply(CBLAS_TRANSPOSE t, index m, index n, double factor, double const* A, double const* x, double keep,
              double* y) {
  cblas_dgemv(rows, t, narrow(m), narrow(n), factor, A, narrow(n), x, 1, keep, y, 1);
}

void gemm(index m, index n, index k, double const* A, double const* B, double const* C, double* D) {
  std::copy_n(C, m * n, D);
  multiply(m, n, k, alpha, A, B, beta, D);
}

void two_mm(index ni, index nj, index nk, index nl, double const* A, double const* B, double const* C, double const* D,
            double* E) {
  auto T = doubles(ni * nj);
  multiply(ni, nj, nk, alpha, A, B, 0, T.data());
  std::copy_n(D, ni * nl, E);
  multiply(ni, nl, nj, 1, T.data(), C, beta, E);
}

void three_mm(index ni, index nj, index nk, index nl, index nm, double const* A, double const* B, double const* C,
              double const* D, double* G) {
  auto E = doubles(ni * nj), F = doubles(nj * nl);
  multiply(ni, nj, nk, 1, A, B, 0, E.data());
  multiply(nj, nl, nm, 1, C, D, 0, F.data());
  multiply(ni, nl, nj, 1, E.data(), F.data(), 0, G);
}

void atax(index m, index n, double const* A, double const* x, double* y) {
  auto t = doubles(m);
  multiply(as_is, m, n, 1, A, x, 0, t.data());
  multiply(transposed, m, n, 1, A, t.data(), 0, y);
}

void bicg(index m, index n, double const* A, double const* p, double const* r, double* s, double* q) {
  multiply(transposed, n, m, 1, A, r, 0, s);
  multiply(as_is, n, m, 1, A, p, 0, q);
}

void mvt(index n, double const* A, double const* x1, double const* x2, double const* y1, double const* y2, double* o1,
         double* o2) {
  std::copy_n(x1, n, o1);
  std::copy_n(x2, n, o2);
  multiply(as_is, n, n, 1, A, y1, 1, o1);
  multiply(transposed, n, n, 1, A, y2, 1, o2);
}

void gemver(index n, double const* A, double const* u1, double const* v1, double const* u2, double const* v2,
            double const* y, double const* z, double* B, double* x, double* w) {
  std::copy_n(A, n * n, B);
  cblas_dger(rows, narrow(n), narrow(n), 1, u1, 1, v1, 1, B, narrow(n));
  cblas_dger(rows, narrow(n), narrow(n), 1, u2, 1, v2, 1, B, narrow(n));
  std::copy_n(z, n, x);
  multiply(transposed, n, n, beta, B, y, 1, x);
  multiply(as_is, n, n, alpha, B, x, 0, w);
}

void gesummv(index n, double const* A, double const* B, double const* x, double* y) {
  multiply(as_is, n, n, alpha, A, x, 0, y);
  multiply(as_is, n, n, beta, B, x, 1, y);
}

void syrk(index m, index n, double const* A, double const* C, double* D) {
  std::copy_n(C, n * n, D);
  cblas_dsyrk(rows, CblasLower, as_is, narrow(n), narrow(m), alpha, A, narrow(m), beta, D, narrow(n));
}

void syr2k(index m, index n, double const* A, double const* B, double const* C, double* D) {
  std::copy_n(C, n * n, D);
  cblas_dsyr2k(rows, CblasLower, as_is, narrow(n), narrow(m), alpha, A, narrow(m), B, narrow(m), beta, D, narrow(n));
}

void symm(index m, index n, double const* A, double const* B, double const* C, double* D) {
  std::copy_n(C, m * n, D);
  cblas_dsymm(rows, CblasLeft, CblasLower, narrow(m), narrow(n), alpha, A, narrow(m), B, narrow(n), beta, D, narrow(n));
}

void trmm(index m, index n, double const* A, double const* B, double* D) {
  std::copy_n(B, m * n, D);
  cblas_dtrmm(rows, CblasLeft, CblasLower, transposed, CblasUnit, narrow(m), narrow(n), alpha, A, narrow(m), D,
              narrow(n));
}

void doitgen(index nq, index nr, index np, double const* A, double const* C, double* B) {
  multiply(nr * nq, np, np, 1, A, C, 0, B);
}

void dot(index n, float const* x, float const* y, float* d) { *d = cblas_sdot(narrow(n), x, 1, y, 1); }

void rank_one(index m, index n, float const* A, float const* x, float const* y, float* B) {
  std::copy_n(A, m * n, B);
  cblas_sger(rows, narrow(m), narrow(n), 0.5F, x, 1, y, 1, B, narrow(n));
}

void vector_matrix(index k, index n, float const* W, float const* x, float const* b, float* y) {
  std::copy_n(b, n, y);
  cblas_sgemv(rows, transposed, narrow(k), narrow(n), 1, W, narrow(n), x, 1, 1, y, 1);
  for (index j = 0; j < n; ++j) y[j] = larger(y[j], 0.0F);
}

/// Four products of real matrices, since real and imaginary parts are operands of their own.
void complex_product(index n, float const* ar, float const* ai, float const* br, float const* bi, float* re,
                     float* im) {
  auto const add = [n](float factor, float const* a, float const* b, float keep, float* c) {
    cblas_sgemm(rows, as_is, as_is, narrow(n), narrow(n), narrow(n), factor, a, narrow(n), b, narrow(n), keep, c,
                narrow(n));
  };
  add(1, ar, br, 0, re);
  add(-1, ai, bi, 1, re);
  add(1, ar, bi, 0, im);
  add(1, ai, br, 1, im);
}

template <class T, class Routine>
void product_of_complex(Routine routine, index m, index n, index k, T const* A, T const* B, T* C) {
  T const one[] = {1, 0}, none[] = {0, 0};
  routine(rows, as_is, as_is, narrow(m), narrow(n), narrow(k), one, A, narrow(k), B, narrow(n), none, C, narrow(n));
}
void cgemm(index m, index n, index k, float const* A, float const* B, float* C) {
  product_of_complex(cblas_cgemm, m, n, k, A, B, C);
}
void zgemm(index m, index n, index k, double const* A, double const* B, double* C) {
  product_of_complex(cblas_zgemm, m, n, k, A, B, C);
}

/// The upper triangle, and the other one from it: the routine needs half of the products.
void antenna_covariance(index times, index n, float const* X, float* R) {
  cblas_cherk(rows, CblasUpper, CblasConjTrans, narrow(n), narrow(times), 1.0F / static_cast<float>(times), X,
              narrow(n), 0, R, narrow(n));
  for (index i = 0; i < n; ++i)
    for (index j = 0; j < i; ++j) {
      R[2 * (i * n + j)] = R[2 * (j * n + i)];
      R[2 * (i * n + j) + 1] = -R[2 * (j * n + i) + 1];
    }
}

void cgemv(index m, index n, float const* A, float const* x, float* y) {
  float const one[] = {1, 0}, none[] = {0, 0};
  cblas_cgemv(rows, as_is, narrow(m), narrow(n), one, A, narrow(n), x, 1, none, y, 1);
}
void cdot(index n, float const* x, float const* y, float* s) { cblas_cdotc_sub(narrow(n), x, 1, y, 1, s); }

add_functions const all{"openblas",
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
                         {"dot", dot},
                         {"rank_one", rank_one},
                         {"vector_matrix", vector_matrix},
                         {"complex_product", complex_product},
                         {"cgemm", cgemm},
                         {"zgemm", zgemm},
                         {"antenna_covariance", antenna_covariance},
                         {"cgemv", cgemv},
                         {"cdot", cdot}}};

}  // namespace
