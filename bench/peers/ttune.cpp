// SPDX-License-Identifier: Apache-2.0
// ttune, tuned within the budget and untuned (the heuristic seed), with weights laid out ahead and plain operands.
#include "ttune.hpp"

#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/winograd.hpp>

namespace {

using namespace ttune_bench;

peer_case gemm(gemm_problem const& problem, buffer const& out, options const& chosen, bool tune) {
  auto const& s = problem.shape;
  auto const kernel = find_kernel(ttune::ops::matmul(s.m, s.n, s.k), chosen, tune);
  return made_by(kernel, tune, [kernel, &problem, &out] { kernel(in(problem.a), in(problem.b), out_of(out)); });
}

peer_case conv(conv_problem const& problem, buffer const& out, options const& chosen, bool tune) {
  auto const& s = problem.shape;
  ttune::ops::conv2d_shape const shape{s.batch,   s.channels, s.height, s.width,
                                       s.filters, s.kernel,   s.stride, s.padding};
  auto const found = tune ? find_kernel(ttune::ops::conv2d_alternatives(shape), chosen, tune)
                          : find_kernel(ttune::ops::conv2d(shape), chosen, tune);
  auto const kernel = found.prepare(in(problem.in), in(problem.weights), out_of(out));
  return made_by(found, tune, [kernel, &problem, &out] { kernel(in(problem.in), in(problem.weights), out_of(out)); });
}

template <bool Tune>
peer_case prepare_gemm(gemm_problem const& problem, buffer const& out, options const& chosen) {
  return gemm(problem, out, chosen, Tune);
}
template <bool Tune>
peer_case prepare_conv(conv_problem const& problem, buffer const& out, options const& chosen) {
  return conv(problem, out, chosen, Tune);
}

add_system<gemm_problem> const tuned_gemm{{0, "ttune", prepare_gemm<true>}};
add_system<gemm_problem> const untuned_gemm{{1, "ttune-untuned", prepare_gemm<false>}};
add_system<conv_problem> const tuned_conv{{0, "ttune", prepare_conv<true>}};
add_system<conv_problem> const untuned_conv{{1, "ttune-untuned", prepare_conv<false>}};

}  // namespace
