// SPDX-License-Identifier: Apache-2.0
// ttune, tuned within the budget and untuned (the heuristic seed), with weights laid out ahead and plain operands.
#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ttune.hpp>

#include <memory>
#include <span>

#include "../system.hpp"

namespace {

using namespace ttune_bench;

/// A kernel for an operator: tuned, or the first configuration of its space.
template <class Op>
auto find_kernel(Op const& op, options const& chosen, bool tune) {
  auto const pool = std::make_shared<ttune::thread_pool>(chosen.threads);
  ttune::tuner tuner{ttune::orc_backend{}, {.model = ttune::xgboost{}, .executor = pool}};
  ttune::tuning_budget budget;
  budget.trials = tune ? (chosen.trials > 0 ? chosen.trials : 1'000'000) : 1;
  budget.time = std::chrono::duration<double>(tune ? chosen.budget_seconds : 3600);
  return tuner.tune(op, budget);
}

std::span<float const> in(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }
std::span<float> out_of(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }

peer_case gemm(gemm_problem const& problem, buffer const& out, options const& chosen, bool tune) {
  auto const& s = problem.shape;
  auto const kernel = find_kernel(ttune::ops::matmul(s.m, s.n, s.k), chosen, tune);
  peer_case made{tune ? "ttune" : "ttune-untuned",
                 [kernel, &problem, &out] { kernel(in(problem.a), in(problem.b), out_of(out)); }};
  made.tuning_seconds = tune ? kernel.report().tuning_seconds : 0;
  made.trials = tune ? kernel.report().trials : 0;
  return made;
}

peer_case conv(conv_problem const& problem, buffer const& out, options const& chosen, bool tune) {
  auto const& s = problem.shape;
  auto const op =
      ttune::ops::conv2d({s.batch, s.channels, s.height, s.width, s.filters, s.kernel, s.stride, s.padding});
  auto const found = find_kernel(op, chosen, tune);
  auto const kernel = found.prepare(in(problem.in), in(problem.weights), out_of(out));
  peer_case made{tune ? "ttune" : "ttune-untuned",
                 [kernel, &problem, &out] { kernel(in(problem.in), in(problem.weights), out_of(out)); }};
  made.tuning_seconds = tune ? found.report().tuning_seconds : 0;
  made.trials = tune ? found.report().trials : 0;
  return made;
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
