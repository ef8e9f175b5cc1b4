// SPDX-License-Identifier: Apache-2.0
// Measures the budget that the workloads of one tuning share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "ttune/tune/session/deadline.hpp"
#include "ttune/tune/session/session_clock.hpp"
#include "ttune/tune/tuner_options.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class budget_meter {
 public:
  /// Keeps references to its arguments.
  budget_meter(tuning_budget const& budget, std::size_t workloads, session_clock const& clock)
      : budget_(budget), workloads_(workloads), clock_(clock) {}

  [[nodiscard]] tuning_budget const& budget() const noexcept { return budget_; }
  [[nodiscard]] std::size_t workloads() const noexcept { return workloads_; }
  [[nodiscard]] std::int64_t trials_left() const noexcept {
    return std::max<std::int64_t>(0, budget_.trials - trials_);
  }
  [[nodiscard]] double elapsed() const { return clock_.elapsed(); }
  [[nodiscard]] session_clock const& clock() const noexcept { return clock_; }
  /// Returns the time until the final comparisons have to begin.
  [[nodiscard]] double seconds_left() const { return budget_.time.count() - reserved_ - elapsed(); }
  /// Returns the moment at which the stages of a batch end: the final comparisons begin, or a stop is requested.
  [[nodiscard]] deadline batch_deadline() const { return {clock_, budget_.time.count() - reserved_, budget_.stop}; }
  /// Returns one workload's share of the whole time.
  [[nodiscard]] double seconds_each() const noexcept { return budget_.time.count() / static_cast<double>(workloads_); }
  [[nodiscard]] bool stopped() const noexcept { return budget_.stop.stop_requested(); }
  /// Returns the reason why no workload may continue; empty if they may.
  [[nodiscard]] std::string exhausted() const {
    if (stopped()) return "stopped by request";
    if (trials_left() == 0) return "all trials were made";
    if (seconds_left() <= 0) return "the time is over";
    return {};
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

 private:
  tuning_budget const& budget_;
  std::size_t workloads_;
  session_clock const& clock_;
  std::int64_t trials_ = 0;
  double reserved_ = 0;
  double last_start_ = std::numeric_limits<double>::infinity();
};

}}}  // namespace ttune::v0::detail
