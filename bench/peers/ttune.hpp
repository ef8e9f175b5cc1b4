// SPDX-License-Identifier: Apache-2.0
// How the benchmarks come by a kernel of ttune: tuned within the budget, or the seed of the derived space.
#pragma once

#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ttune.hpp>

#include <memory>
#include <span>

#include "../system.hpp"

namespace ttune_bench {

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

/// `run` with what its tuning took.
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
