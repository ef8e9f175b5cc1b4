// SPDX-License-Identifier: Apache-2.0
// Measures the budget that the workloads of one tuning share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "ttune/records/effort.hpp"
#include "ttune/tune/effort.hpp"
#include "ttune/tune/session/deadline.hpp"
#include "ttune/tune/session/session_clock.hpp"
#include "ttune/tune/tuner_options.hpp"

namespace ttune { inline namespace v0 { namespace detail {

// The reasons of `tuning_report::stopped_because` that say how a tuning ended.
inline constexpr char const* stopped_text = "stopped by request";
inline constexpr char const* deadline_text = "the deadline passed";
inline constexpr char const* whole_space_text = "the whole space was measured";
inline constexpr char const* nothing_new_text = "nothing proposed was new for a long time";

/// A tuning that goes on makes at least so many trials: the recorded kernel, and what may be faster.
inline constexpr std::int64_t least_more_trials = 4;

[[nodiscard]] inline bool has_level(tuning_budget const& budget) noexcept {
  return budget.effort != effort_level::none;
}

/// Returns what a budget asks for, as it counts for records.
[[nodiscard]] inline asked_effort asked_by(tuning_budget const& budget) {
  if (has_level(budget)) return {budget.effort, 0, budget.time.count(), 0};
  return {effort_level::none, budget.trials, budget.time.count(), budget.patience};
}

/// Returns a budget whose trials and patience are those of its level: no limits, since sessions check those.
[[nodiscard]] inline tuning_budget without_level(tuning_budget budget) {
  if (!has_level(budget)) return budget;
  budget.trials = budget.effort == effort_level::estimate ? 0 : level_limits::unlimited;
  budget.patience = 0;
  return budget;
}

class budget_meter {
 public:
  /// Keeps a reference to the clock.
  budget_meter(tuning_budget const& budget, std::size_t workloads, session_clock const& clock)
      : asked_(asked_by(budget)), budget_(without_level(budget)), workloads_(workloads), clock_(clock) {
    using seconds = std::chrono::duration<double>;
    if (budget.deadline != no_deadline) deadline_ = std::max(0.0, seconds(budget.deadline - steady_now()).count());
    seconds_ = std::min(budget.time.count(), deadline_);
  }

  /// Returns the limits; with a level, those that hold beside it.
  [[nodiscard]] tuning_budget const& budget() const noexcept { return budget_; }
  [[nodiscard]] asked_effort const& asked() const noexcept { return asked_; }
  /// Says what counts for records if the limits are those of a part.
  void ask(asked_effort const& what) { asked_ = what; }
  [[nodiscard]] std::size_t workloads() const noexcept { return workloads_; }
  [[nodiscard]] std::int64_t trials_left() const noexcept {
    return std::max<std::int64_t>(0, budget_.trials - trials_ - earlier_trials_);
  }
  [[nodiscard]] double elapsed() const { return clock_.elapsed(); }
  [[nodiscard]] session_clock const& clock() const noexcept { return clock_; }
  /// Returns the time until the final comparisons have to begin.
  [[nodiscard]] double seconds_left() const { return last_batch() - elapsed(); }
  /// Returns the moment at which the stages of a batch end: the final comparisons begin, or a stop is requested.
  [[nodiscard]] deadline batch_deadline() const { return {clock_, last_batch(), budget_.stop}; }
  /// Returns one workload's share of the whole time.
  [[nodiscard]] double seconds_each() const noexcept { return seconds_ / static_cast<double>(workloads_); }
  [[nodiscard]] bool stopped() const noexcept { return budget_.stop.stop_requested(); }
  /// Returns the reason why no workload may continue; empty if they may.
  [[nodiscard]] std::string exhausted() const {
    if (stopped()) return stopped_text;
    if (trials_left() == 0) return "all trials were made";
    if (seconds_left() > 0) return {};
    return deadline_ - reserved_ <= elapsed() ? deadline_text : "the time is over";
  }

  /// Returns the expected rest of the whole tuning, at its pace so far.
  [[nodiscard]] double expected_seconds_left() const {
    auto const each = elapsed() / static_cast<double>(std::max<std::int64_t>(1, trials_));
    return std::max(0.0, std::min(each * static_cast<double>(trials_left()), seconds_left()));
  }

  /// Says when it is too late for first kernels of which others can do without: that many seconds after the start.
  void end_starts_at(double seconds) noexcept { last_start_ = seconds; }
  [[nodiscard]] bool late_to_start() const { return elapsed() > last_start_; }
  [[nodiscard]] std::int64_t trials() const noexcept { return trials_; }

  void count_trial() noexcept { ++trials_; }
  void reserve(double seconds) noexcept { reserved_ += seconds; }
  /// Counts what earlier starts spent, except that some trials and a quarter of the time are left.
  void count_earlier(std::int64_t trials, double seconds) noexcept {
    earlier_trials_ = std::clamp<std::int64_t>(budget_.trials - least_more_trials, 0, earlier_trials_ + trials);
    earlier_seconds_ = std::min(budget_.time.count() * 0.75, earlier_seconds_ + seconds);
  }

 private:
  [[nodiscard]] static std::chrono::steady_clock::time_point steady_now() { return std::chrono::steady_clock::now(); }
  [[nodiscard]] double last_batch() const noexcept {
    return std::min(budget_.time.count() - earlier_seconds_, deadline_) - reserved_;
  }

  asked_effort asked_;
  tuning_budget budget_;
  std::size_t workloads_;
  session_clock const& clock_;
  double deadline_ = std::numeric_limits<double>::infinity();  ///< seconds after the start
  double seconds_ = 0;                                         ///< until the time is over or the deadline passes
  std::int64_t trials_ = 0;
  std::int64_t earlier_trials_ = 0;
  double earlier_seconds_ = 0;
  double reserved_ = 0;
  double last_start_ = std::numeric_limits<double>::infinity();
};

}}}  // namespace ttune::v0::detail
