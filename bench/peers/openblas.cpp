// SPDX-License-Identifier: Apache-2.0
// OpenBLAS: cblas_sgemm.
#include <cblas.h>

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

add_system<gemm_problem> const openblas{{30, "openblas", prepare}};

}  // namespace
