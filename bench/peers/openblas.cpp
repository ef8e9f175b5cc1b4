// SPDX-License-Identifier: Apache-2.0
// OpenBLAS: cblas_sgemm and cblas_dgemm.
#include <cblas.h>

#include "../ops_problem.hpp"
#include "../system.hpp"

namespace {

using namespace ttune_bench;

peer_case prepare(gemm_problem const& problem, buffer const& out, options const& chosen) {
  openblas_set_num_threads(chosen.threads);
  auto const m = static_cast<int>(problem.shape.m), n = static_cast<int>(problem.shape.n),
             k = static_cast<int>(problem.shape.k);
  auto const *a = problem.a.data(), *b = problem.b.data();
  return {"openblas", [=, c = out.data()] {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
          }};
}

/// Prepares a product of doubles, or of floats with the right operand transposed.
peer_case prepare_ops(ops_problem const& problem, buffer const& out, options const& chosen) {
  openblas_set_num_threads(chosen.threads);
  auto const m = static_cast<int>(problem.shape.m), n = static_cast<int>(problem.shape.n),
             k = static_cast<int>(problem.shape.k);
  auto const &a = problem.in[0], &b = problem.in[1];
  if (problem.shape.what == operation::matmul_nt)
    return {"openblas", [=, left = a.data(), right = b.data(), c = out.data()] {
              cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, left, k, right, k, 0, c, n);
            }};
  return {"openblas", [=, left = doubles(a), right = doubles(b), c = doubles(out)] {
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, left, k, right, n, 0, c, n);
          }};
}
bool serves(ops_problem const& problem) {
  return problem.shape.what == operation::matmul_f64 || problem.shape.what == operation::matmul_nt;
}

add_system<gemm_problem> const openblas{{30, "openblas", prepare}};
add_system<ops_problem> const ops{{30, "openblas", prepare_ops, serves}};

}  // namespace
