// SPDX-License-Identifier: Apache-2.0
// The parts of a tuner, and the limits of a tuning.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "ttune/model/cost_model.hpp"
#include "ttune/records/store.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/runtime/worker/choice.hpp"
#include "ttune/search/search.hpp"
#include "ttune/tune/effort.hpp"
#include "ttune/tune/progress.hpp"
#include "ttune/tune/space_source.hpp"

namespace ttune { inline namespace v0 {

class recorded_device;

/// A moment that never comes.
inline constexpr std::chrono::steady_clock::time_point no_deadline = std::chrono::steady_clock::time_point::max();

/// Limits of a tuning. The first limit that is reached ends the tuning; it returns a valid kernel in any case. In
/// `tune_all`, the workloads share trials and time; patience and share of peak apply to each workload.
///
/// With records, trials and time are those of all starts together: a record that came to the end of as much answers at
/// once, and a tuning that was cut short goes on where it was.
struct tuning_budget {
  /// Number of measured candidates. 1: the untuned kernel, checked and measured; 0: the untuned kernel, only compiled.
  std::int64_t trials = 256;
  std::chrono::duration<double> time = std::chrono::hours(24);
  std::int64_t patience = 0;  ///< trials without gain; 0: no limit
  double share_of_peak = 0;   ///< stop at this share of tuner_options::peak_flops_per_second; 0: no limit
  std::stop_token stop = {};  ///< takes effect within 100 ms
  /// Relative frequencies of the application's calls of each workload of `tune_all`: trials go where they save most
  /// time in total. Empty: all equal.
  std::vector<double> calls = {};
  /// A level (tune/effort.hpp), which replaces `trials` and `patience`; the other limits hold as well.
  effort_level effort = effort_level::none;
  /// The moment at which the tuning ends in any case, and is cut short: the next start with the same records goes on.
  std::chrono::steady_clock::time_point deadline = no_deadline;
};

inline effort::operator tuning_budget() const {
  tuning_budget made;
  made.effort = level_;
  return made;
}

/// Options of a tuner; all have defaults.
struct tuner_options {
  any_cost_model model = {};  ///< empty: forest_model
  any_search search = {};     ///< empty: annealing
  space_source derive = {};   ///< makes the spaces of programs without one; empty: derive_space
  shared_store records = {};  ///< empty: nothing is looked up or stored
  worker_choice worker = worker::program{};
  std::shared_ptr<ttune::executor> executor = {};  ///< executor of the resulting kernels; empty: default_executor()
  std::uint64_t seed = 1;
  ttune::objective objective = objective::warm;
  std::int32_t compilers = 0;  ///< number of parallel compilations; 0: one per processor
  /// Trials between two fits of the model: fewer if time is short; an eighth of all trials so far if that is more.
  std::int32_t batch = 32;
  double peak_flops_per_second = 0;                       ///< for progress, share_of_peak and tune_all; 0: unknown
  std::function<void(progress const&)> on_progress = {};  ///< called after each trial; an exception ends the tuning
  std::string device = {};                                ///< name of the device, stored in records
  /// Returns seconds since an arbitrary moment; budgets and reports use it. The tuning thread calls it; its exceptions
  /// are rethrown. The clock may jump: a step back counts as no time, a step ahead ends the budget sooner. Empty:
  /// std::chrono::steady_clock. With a clock that is independent of real time, and an interpreter_backend or a
  /// `recorded` device, `tune_all` is deterministic, too.
  std::function<double()> clock = {};
  /// Recorded measurements that replace trials: nothing is compiled or run except the winning kernel, if the backend is
  /// available. For tests of searches and models. The records must be of the tuned workload.
  std::shared_ptr<recorded_device const> recorded = {};
};

}}  // namespace ttune::v0
