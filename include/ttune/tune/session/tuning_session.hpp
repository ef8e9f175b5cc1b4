// SPDX-License-Identifier: Apache-2.0
// One workload on its way to a kernel: looked up, or tried, learned from and in the end compared with the untuned one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ttune/tune/record_keys.hpp"
#include "ttune/tune/session/budget_meter.hpp"
#include "ttune/tune/session/leaderboard.hpp"
#include "ttune/tune/session/learner.hpp"
#include "ttune/tune/session/trial.hpp"
#include "ttune/tune/tuning_result.hpp"

namespace ttune::inline v0::detail {

/// Needs its arguments as long as it lives.
class tuning_session {
 public:
  tuning_session(std::int32_t task, tuner_options const& options, backend& compiler, any_search search, learner& model,
                 budget_meter& budget, space const& in);

  /// A kernel from the records, or the first trial: the seed, which is checked against the interpreter unless the
  /// caller will compare it with one that was. Where the seed cannot be compiled, other configurations and simpler
  /// schedules follow. Throws backend_error if none of them can, or the kernel does not run or is wrong.
  void start(bool is_checked_by_caller = false);
  /// Nothing is left to do but to finish.
  [[nodiscard]] bool over() const noexcept { return !why_over_.empty(); }
  /// Proposes a batch, makes trials of it while the budget lasts, and has the model learn from them.
  void advance();
  /// Seconds of a call that a second of further tuning may save: an estimate that falls as trials gain nothing.
  [[nodiscard]] double expected_gain() const;
  [[nodiscard]] tuning_result finish();

  // Beside sessions of the same operator.
  /// Of a call of the best kernel so far.
  [[nodiscard]] double best_seconds() const noexcept { return found_ ? report_.seconds : best_.best_seconds(); }
  /// The same kernel timed now, if this session times any: the trial may have come in another moment.
  [[nodiscard]] double seconds_now();
  [[nodiscard]] std::int64_t trials() const noexcept { return report_.trials; }
  [[nodiscard]] double seconds_spent() const noexcept { return report_.tuning_seconds; }
  /// How the first kernel's results differ from those of the oracle's, by more than rounding times `tolerance`
  /// explains; empty: they do not, or one of them was not run.
  [[nodiscard]] std::string disagreement(tuning_session& oracle, double tolerance);
  /// Two kernels in turns; no pairs if this session runs none.
  [[nodiscard]] comparison compare(kernel_image const& a, kernel_image const& b, std::int32_t pairs);

 private:
  void make_runner();
  [[nodiscard]] bool find_in_records();
  void find_first(double check_seconds);
  [[nodiscard]] bool try_first(configuration const& chosen, double check_seconds);
  void queue_neighbours();
  void queue_proposals();
  [[nodiscard]] std::vector<configuration> propose();
  [[nodiscard]] std::size_t batch_size() const;
  [[nodiscard]] trial_limits limits() const;
  void settle(trial t, std::optional<double> predicted);
  void learn_from(trial const& t);
  [[nodiscard]] std::string reason_to_end() const;
  [[nodiscard]] double closing_seconds() const;
  [[nodiscard]] trial const* find_winner(comparison& final);
  [[nodiscard]] trial const* clear_winner() const;
  void keep(trial const& winner, kernel_image const& image);
  [[nodiscard]] lesson taught_by(trial const& winner) const;
  [[nodiscard]] kernel_explanation explain(configuration const& chosen) const;
  [[nodiscard]] bool may_record() const;
  [[nodiscard]] record make_record(trial const& t, std::optional<double> predicted) const;
  void report_progress(bool finished);

  std::int32_t task_;
  tuner_options const& options_;
  backend& backend_;
  any_search search_;
  learner& learner_;
  budget_meter& budget_;
  std::unique_ptr<workload> work_;
  record_key key_;
  tuning_report report_;
  std::unique_ptr<trial_runner> runner_;
  std::optional<tuning_result> found_;  ///< in the records
  trial seed_;
  leaderboard best_;
  configuration_set visited_;
  std::vector<configuration> queue_;  ///< to be tried before what the search proposes
  std::int64_t last_gain_ = 0;        ///< number of the trial
  double batch_gain_ = 0;             ///< seconds of a call saved by the last batch, per second that it took
  int idle_batches_ = 0;              ///< in a row, without a trial
  std::string why_over_;
};

}  // namespace ttune::inline v0::detail

#if TTUNE_HEADER_ONLY
#include "ttune/tune/session/tuning_session.inl.hpp"
#endif
