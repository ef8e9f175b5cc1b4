// SPDX-License-Identifier: Apache-2.0
// Finds kernels of ttune for the benchmarks: tuned within the budget, or the seed of the derived space.
#pragma once

#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ttune.hpp>

#include <memory>
#include <span>

#include "../system.hpp"

namespace ttune_bench {

/// Calls `f` with a tuner and its budget: for tuning, or for the first configuration only.
template <class Function>
auto with_tuner(options const& chosen, bool tune, Function const& f,
                std::shared_ptr<ttune::backend> by = std::make_shared<ttune::orc_backend>()) {
  auto const goal = chosen.cold ? ttune::objective::cold : ttune::objective::warm;
  auto const pool = std::make_shared<ttune::thread_pool>(chosen.threads);
  ttune::tuner tuner{std::move(by), {.model = ttune::xgboost{}, .executor = pool, .objective = goal}};
  ttune::tuning_budget budget;
  budget.trials = tune ? (chosen.trials > 0 ? chosen.trials : 1'000'000) : 1;
  budget.time = std::chrono::duration<double>(tune ? chosen.budget_seconds : 3600);
  return f(tuner, budget);
}

/// Returns a kernel for an operator: tuned, or the first configuration of its space.
template <class Op>
auto find_kernel(Op const& op, options const& chosen, bool tune) {
  return with_tuner(chosen, tune,
                    [&](ttune::tuner& tuner, ttune::tuning_budget const& budget) { return tuner.tune(op, budget); });
}

/// Returns the fastest of several computes of an operator that `--numerics` allows.
template <class Op>
auto find_kernel(ttune::alternatives_type<Op> const& all, options const& chosen, bool tune) {
  auto const allowed =
      chosen.numerics > 0 ? ttune::numerics::error_within(chosen.numerics) : ttune::numerics::reassociation();
  return with_tuner(chosen, tune, [&](ttune::tuner& tuner, ttune::tuning_budget const& budget) {
    return tuner.tune(all, budget, allowed);
  });
}

/// Returns a case that calls `run`, with the time and the trials of its tuning.
template <class Kernel>
peer_case made_by(Kernel const& found, bool tune, std::function<void()> run) {
  peer_case made{tune ? "ttune" : "ttune-untuned", std::move(run)};
  made.tuning_seconds = tune ? found.report().tuning_seconds : 0;
  made.trials = tune ? found.report().trials : 0;
  return made;
}

inline std::span<float const> in(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }
inline std::span<float> out_of(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }

}  // namespace ttune_bench
