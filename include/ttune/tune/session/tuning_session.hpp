// SPDX-License-Identifier: Apache-2.0
// Turns one workload into a kernel: from the records, or by trials, learning and a final comparison with the seed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ttune/tune/session/batch.hpp"
#include "ttune/tune/session/budget_meter.hpp"
#include "ttune/tune/session/earlier_tuning.hpp"
#include "ttune/tune/session/final_comparison.hpp"
#include "ttune/tune/session/first_trial.hpp"
#include "ttune/tune/session/known_results.hpp"
#include "ttune/tune/session/leaderboard.hpp"
#include "ttune/tune/session/learner.hpp"
#include "ttune/tune/session/pace.hpp"
#include "ttune/tune/session/phase_timer.hpp"
#include "ttune/tune/session/proposer.hpp"
#include "ttune/tune/session/session_effort.hpp"
#include "ttune/tune/session/session_records.hpp"
#include "ttune/tune/session/trial.hpp"
#include "ttune/tune/session/trial_runner.hpp"
#include "ttune/tune/tuner_options.hpp"
#include "ttune/tune/tuning_report.hpp"
#include "ttune/tune/tuning_result.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Session of one workload: the only owner of what outlives a stage, that is the budget, the report, the records, the
/// known results, the model and the search. Keeps references to its arguments.
class tuning_session {
 public:
  tuning_session(std::int32_t task, tuner_options const& options, backend& compiler, any_search search, learner& model,
                 budget_meter& budget, space const& in);

  /// Takes a kernel from the records, or makes the first trial: the seed, checked against the interpreter unless the
  /// caller compares it with a checked kernel. If the seed cannot be compiled, other configurations, then simpler
  /// schedules are tried. Throws backend_error if none compiles, or if the kernel does not run or is wrong.
  void start(bool is_checked_by_caller = false);
  /// Returns true if only `finish` remains to be called.
  [[nodiscard]] bool over() const noexcept { return !why_over_.empty(); }
  /// Proposes a batch, makes its trials while the budget lasts, and teaches them to the model.
  void advance();
  /// Returns the estimated seconds per call that one more second of tuning saves. It falls while trials gain nothing.
  [[nodiscard]] double expected_gain() const;
  /// Returns the fastest kernel so far if pairs show that it takes at most 1 - `least_gain` of the time of the kernel
  /// that this function returned last (at first: of the first kernel), or of `over`. The records keep it: a tuning that
  /// is killed goes on from there. Costs some twenty pairs of calls if there is a new candidate, nothing if not.
  [[nodiscard]] std::optional<tuning_result> improvement(double least_gain, kernel_image const* over = nullptr);
  /// Ends the session. `with_pairs` is false if the best trial need not be compared with the seed in pairs.
  [[nodiscard]] tuning_result finish(bool with_pairs = true);

  // Functions for several sessions of the same operator.
  /// Leaves the limits of an effort level to the caller.
  void end_by_caller() noexcept { ends_itself_ = false; }
  /// Returns the number of configurations of the space.
  [[nodiscard]] double configurations() const { return work_->sampler().size().approximate(); }
  /// Returns what was spent so far, also by earlier starts.
  [[nodiscard]] effort_so_far spent() const;
  /// Returns the time of a call of the best kernel so far.
  [[nodiscard]] double best_seconds() const noexcept { return found_ ? report_.seconds : best_.best_seconds(); }
  /// Returns the image of that kernel; null if there is none, as for recorded measurements.
  [[nodiscard]] kernel_image const* best_image() const noexcept;
  /// Returns the image of the first kernel; null if there is none.
  [[nodiscard]] kernel_image const* first_image() const noexcept { return seed_.image ? &*seed_.image : nullptr; }
  /// Returns the time of the same kernel now, if this session measures: the machine may have changed since its trial.
  [[nodiscard]] double seconds_now();
  [[nodiscard]] std::int64_t trials() const noexcept { return report_.trials; }
  [[nodiscard]] double seconds_spent() const noexcept { return report_.tuning_seconds; }
  /// Describes how the first kernel's results differ from the oracle's, beyond rounding times `tolerance`. Empty if
  /// they do not differ, or if one of the kernels did not run.
  [[nodiscard]] std::string disagreement(tuning_session& oracle, double tolerance);
  /// Compares two kernels alternately; without pairs if this session runs none.
  [[nodiscard]] comparison compare(kernel_image const& a, kernel_image const& b, std::int32_t pairs);

 private:
  void prepare_work();
  [[nodiscard]] std::unique_ptr<trial_runner> make_runner();
  [[nodiscard]] std::optional<scope_timer> timing(tuning_phase phase);

  [[nodiscard]] bool find_in_records();
  void find_first(double check_seconds);
  [[nodiscard]] bool try_earlier(double check_seconds);
  void go_on();
  [[nodiscard]] bool try_first(configuration const& chosen, double check_seconds);
  void make_first(compiled_first one, double check_seconds);
  [[nodiscard]] std::string the_first() const;
  void take_seed();
  void queue_suggestions();
  [[nodiscard]] std::optional<kernel_image> image_of(configuration const& chosen);

  [[nodiscard]] std::vector<proposal> propose();
  void try_batch(std::vector<proposal> batch);
  [[nodiscard]] std::vector<trial> run(std::span<prepared_candidate> group);
  void settle(std::span<prepared_candidate const> group, std::vector<trial> made);
  void settle(trial t, std::optional<double> predicted);
  void learn_from(trial const& t);
  [[nodiscard]] std::string reason_to_end() const;

  [[nodiscard]] comparison compare_with(kernel_image const* over, trial const& last, trial const& fastest);
  [[nodiscard]] tuning_result conclude(bool with_pairs);
  void report_result(final_result const& found);
  void keep(trial const& winner, kernel_image const& image);
  [[nodiscard]] effort_so_far spent_until_now() const;
  [[nodiscard]] recorded_effort effort_until(recorded_effort::ending ended) const;
  [[nodiscard]] kernel_explanation explain(configuration const& chosen) const;
  void report_progress(bool finished);

  std::int32_t task_;
  tuner_options const& options_;
  backend& backend_;
  learner& learner_;
  budget_meter& budget_;
  std::unique_ptr<workload> work_;
  std::optional<session_records> records_;
  std::unique_ptr<trial_runner> runner_;
  proposer proposals_;
  known_results known_;
  tuning_report report_;
  std::optional<tuning_result> found_;     ///< result without trials: from the records, or the seed as it is
  std::optional<earlier_tuning> earlier_;  ///< what the tuning goes on with
  trial seed_;                             ///< the first kernel: the untuned one, or the recorded one
  leaderboard best_;
  std::optional<trial> given_;  ///< the last result of `improvement`
  configuration compared_;      ///< of the last comparison that it made
  std::int64_t last_gain_ = 0;  ///< number of the trial with the last gain
  double batch_gain_ = 0;       ///< seconds per call that the last batch saved, per second of its duration
  int idle_batches_ = 0;        ///< consecutive batches without a trial
  bool ends_itself_ = true;     ///< false: the caller checks the limits of a level
  effort_limits limits_{budget_};
  double began_ = 0;  ///< the moment of the present call
  std::string why_over_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/tuning_session.inl.hpp"
#endif
