// SPDX-License-Identifier: Apache-2.0
// What the workloads of one tuning may still spend.
#pragma once

#include <algorithm>
#include <string>

#include "ttune/tune/session/session_clock.hpp"
#include "ttune/tune/tuner_options.hpp"

namespace ttune::inline v0::detail {

class budget_meter {
 public:
  /// Needs its arguments as long as it lives.
  budget_meter(tuning_budget const& budget, std::size_t workloads, session_clock const& clock)
      : budget_(budget), workloads_(workloads), clock_(clock) {}

  [[nodiscard]] tuning_budget const& budget() const noexcept { return budget_; }
  [[nodiscard]] std::size_t workloads() const noexcept { return workloads_; }
  [[nodiscard]] std::int64_t trials_left() const noexcept {
    return std::max<std::int64_t>(0, budget_.trials - trials_);
  }
  [[nodiscard]] double elapsed() const { return clock_.elapsed(); }
  [[nodiscard]] session_clock const& clock() const noexcept { return clock_; }
  /// Before the final comparisons have to begin.
  [[nodiscard]] double seconds_left() const { return budget_.time.count() - reserved_ - elapsed(); }
  /// One workload's part of the whole time.
  [[nodiscard]] double seconds_each() const noexcept { return budget_.time.count() / static_cast<double>(workloads_); }
  [[nodiscard]] bool stopped() const noexcept { return budget_.stop.stop_requested(); }
  /// Why nobody may go on; empty: they may.
  [[nodiscard]] std::string exhausted() const {
    if (stopped()) return "stopped by request";
    if (trials_left() == 0) return "all trials were made";
    if (seconds_left() <= 0) return "the time is over";
    return {};
  }

  /// Of the whole tuning, at the pace so far.
  [[nodiscard]] double expected_seconds_left() const {
    auto const each = elapsed() / static_cast<double>(std::max<std::int64_t>(1, trials_));
    return std::max(0.0, std::min(each * static_cast<double>(trials_left()), seconds_left()));
  }

  void count_trial() noexcept { ++trials_; }
  void reserve(double seconds) noexcept { reserved_ += seconds; }

 private:
  tuning_budget const& budget_;
  std::size_t workloads_;
  session_clock const& clock_;
  std::int64_t trials_ = 0;
  double reserved_ = 0;
};

}  // namespace ttune::inline v0::detail
