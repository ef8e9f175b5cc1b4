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

peer_case prepare_f64(ops_problem const& problem, buffer const& out, options const& chosen) {
  openblas_set_num_threads(chosen.threads);
  auto const m = static_cast<int>(problem.shape.m), n = static_cast<int>(problem.shape.n),
             k = static_cast<int>(problem.shape.k);
  auto const *a = doubles(problem.in[0]), *b = doubles(problem.in[1]);
  return {"openblas", [=, c = doubles(out)] {
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
          }};
}
bool is_f64(ops_problem const& problem) { return problem.shape.what == operation::matmul_f64; }

add_system<gemm_problem> const openblas{{30, "openblas", prepare}};
add_system<ops_problem> const openblas_f64{{30, "openblas", prepare_f64, is_f64}};

}  // namespace
