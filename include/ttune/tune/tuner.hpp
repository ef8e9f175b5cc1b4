// SPDX-License-Identifier: Apache-2.0
// The tuner: propose, compile, measure, learn (AutoTVM's loop), with everything it needs given as arguments.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "ttune/records/store.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/runtime/worker.hpp"
#include "ttune/schedule/derive.hpp"
#include "ttune/tune/cost_model.hpp"
#include "ttune/tune/progress.hpp"
#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

/// When to stop. The first limit that is reached ends the tuning; a valid kernel comes out in any case.
struct tuning_budget {
  std::int64_t trials = 256;
  std::chrono::duration<double> time = std::chrono::hours(24);
  std::int64_t patience = 0;   ///< trials without gain; 0: no such limit
  double share_of_peak = 0;    ///< stop at this share of tuner_options::peak_flops_per_second; 0: no such limit
  std::stop_token stop = {};   ///< honoured within 100 ms
};

struct tuner_options {
  any_cost_model model = {};       ///< none: linear_model
  any_search search = {};          ///< none: annealing
  shared_store records = {};       ///< none: nothing is looked up or kept
  worker_choice worker = worker::program{};
  std::shared_ptr<ttune::executor> executor = {};  ///< of the kernels that come out; none: default_executor()
  std::uint64_t seed = 1;
  ttune::objective objective = objective::warm;
  std::int32_t batch = 32;         ///< trials between two fits of the model
  double peak_flops_per_second = 0;  ///< for progress and share_of_peak; 0: not known
  std::function<void(progress const&)> on_progress = {};  ///< after each trial; an exception ends the tuning
  std::string device;              ///< kept in records
};

/// Where a kernel came from and what it cost to find.
struct tuning_report {
  enum class origin : std::uint8_t {
    record,  ///< found in the records
    tuned,   ///< faster than the seed with 95 % confidence
    seed     ///< the heuristic first configuration: nothing better was found
  };
  origin source = origin::seed;
  std::string workload;
  std::string space_size;
  std::int64_t trials = 0;
  std::array<std::int64_t, trial_statuses> trials_by_status{};
  double seconds = 0;        ///< of one call, as measured
  double seed_seconds = 0;   ///< of the untuned kernel
  double gain = 1;           ///< seed over result, paired
  double spread = 0;
  double flops = 0;
  double tuning_seconds = 0;
  std::array<double, tuning_phases> phase_seconds{};
  std::string stopped_because;
  std::string schedule;      ///< the knobs of the result, as text
  std::int64_t same_programs = 0;     ///< proposals that lowered to a program measured before: not run again, no trials
  std::int64_t checked_elements = 0;  ///< of the first kernel's outputs, against the interpreter
  bool isolated = true;      ///< candidates ran in a process of their own

  /// A few lines for people.
  [[nodiscard]] std::string text() const;
};

struct tuning_result {
  kernel_image image;
  configuration chosen;
  tuning_report report;
};

/// Tunes one workload at a time; calls from several threads wait for each other.
class tuner {
 public:
  /// Throws argument_error inside a worker process: each worker would start workers.
  tuner(std::shared_ptr<backend> compiler, tuner_options options);
  template <class Backend>
    requires(std::is_base_of_v<backend, Backend>)
  explicit tuner(Backend compiler, tuner_options options = {}) : tuner(std::make_shared<Backend>(std::move(compiler)), std::move(options)) {}

  /// Tunes in a space of the caller's, or in the derived one. Throws backend_error if the seed itself cannot be
  /// compiled or run, and what `on_progress` throws.
  [[nodiscard]] tuning_result tune(space const& in, tuning_budget const& budget = {});
  [[nodiscard]] tuning_result tune(handle<ir::program> const& program, tuning_budget const& budget = {});
  /// An operator of the DSL gives a typed kernel with its report (<ttune/ttune.hpp>).
  template <class Op>
    requires requires(Op const& op) { op.program(); }
  [[nodiscard]] auto tune(Op const& op, tuning_budget const& budget = {}) {
    return make_tuned(op, tune(op.program(), budget), options_.executor);
  }
  template <class Op>
    requires requires(Op const& op) { op.program(); }
  [[nodiscard]] auto tune(Op const& op, space const& in, tuning_budget const& budget = {}) {
    return make_tuned(op, tune(in, budget), options_.executor);
  }

  [[nodiscard]] ttune::backend& compiler() const noexcept { return *backend_; }
  [[nodiscard]] std::shared_ptr<ttune::executor> const& kernel_executor() const noexcept { return options_.executor; }

 private:
  class session;
  std::shared_ptr<backend> backend_;
  tuner_options options_;
  std::shared_ptr<std::mutex> one_at_a_time_ = std::make_shared<std::mutex>();
};

/// What a space and target are filed under.
[[nodiscard]] record_key key_of(space const& in, target const& machine, objective goal);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/tuner.inl.hpp"
#endif
