// SPDX-License-Identifier: Apache-2.0
// LIBXSMM: its compiled kernel for a small matrix product, one thread.
#include <libxsmm.h>

#include "../system.hpp"

namespace {

using namespace ttune_bench;

/// LIBXSMM does not serve larger products: it leaves them to a BLAS.
constexpr std::int64_t largest = 128;

bool serves(gemm_problem const& problem) {
  auto const& s = problem.shape;
  return s.m <= largest && s.n <= largest && s.k <= largest;
}

/// Prepares a product. LIBXSMM's matrices are column-major: C^T = B^T A^T, in the same memory.
peer_case prepare(gemm_problem const& problem, buffer const& out, options const&) {
  libxsmm_init();
  auto const m = static_cast<libxsmm_blasint>(problem.shape.m), n = static_cast<libxsmm_blasint>(problem.shape.n),
             k = static_cast<libxsmm_blasint>(problem.shape.k);
  float const one = 1, zero = 0;
  int const flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  auto* const multiply = libxsmm_smmdispatch(n, m, k, &n, &k, &n, &one, &zero, &flags, &prefetch);
  if (!multiply) return without("libxsmm", "it has no kernel for this product");
  return {"libxsmm", [=, a = problem.a.data(), b = problem.b.data(), c = out.data()] { multiply(b, a, c); }};
}

add_system<gemm_problem> const libxsmm{{35, "libxsmm", prepare, serves, [] {
                                          return std::string("LIBXSMM " LIBXSMM_VERSION " for ") +
                                                 libxsmm_get_target_arch();
                                        }}};

}  // namespace
