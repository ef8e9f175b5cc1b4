// SPDX-License-Identifier: Apache-2.0
// What a tuner is made of, and when it stops.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "ttune/records/store.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/worker.hpp"
#include "ttune/tune/cost_model.hpp"
#include "ttune/tune/progress.hpp"
#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

class replay_device;

/// When to stop. The first limit that is reached ends the tuning; a valid kernel comes out in any case.
/// `tune_all` shares trials and time among its workloads; patience and share of peak are each one's own.
struct tuning_budget {
  std::int64_t trials = 256;
  std::chrono::duration<double> time = std::chrono::hours(24);
  std::int64_t patience = 0;  ///< trials without gain; 0: no such limit
  double share_of_peak = 0;   ///< stop at this share of tuner_options::peak_flops_per_second; 0: no such limit
  std::stop_token stop = {};  ///< honoured within 100 ms
  /// How often the application calls each workload of `tune_all`, relative to each other: time goes where most of it
  /// can be saved. Empty: all equally often.
  std::vector<double> calls = {};
};

struct tuner_options {
  any_cost_model model = {};  ///< none: linear_model
  any_search search = {};     ///< none: annealing
  shared_store records = {};  ///< none: nothing is looked up or kept
  worker_choice worker = worker::program{};
  std::shared_ptr<ttune::executor> executor = {};  ///< of the kernels that come out; none: default_executor()
  std::uint64_t seed = 1;
  ttune::objective objective = objective::warm;
  std::int32_t compilers = 0;  ///< candidates compiled at once; 0: as many as processors
  /// Trials between two fits of the model: fewer where the time is short, an eighth of all where that is more.
  std::int32_t batch = 32;
  double peak_flops_per_second = 0;                       ///< for progress, share_of_peak and tune_all; 0: not known
  std::function<void(progress const&)> on_progress = {};  ///< after each trial; an exception ends the tuning
  std::string device = {};                                ///< kept in records
  /// Seconds since any moment: what budgets and reports go by, called by the thread that tunes; what it throws is
  /// rethrown. It may jump: a step back takes no time, a step ahead ends the budget sooner. None:
  /// std::chrono::steady_clock. With one that does not look at the time, and an interpreter_backend or a replay,
  /// `tune_all` is the same each time, too.
  std::function<double()> clock = {};
  /// Recorded measurements instead of trials: nothing is compiled or run but the kernel that wins, if the backend is
  /// available. For tests of searches and models. The records must be of the workload that is tuned.
  std::shared_ptr<replay_device const> replay = {};
};

}  // namespace ttune::inline v0
