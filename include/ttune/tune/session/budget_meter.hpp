// SPDX-License-Identifier: Apache-2.0
// What the workloads of one tuning may still spend.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "ttune/tune/tuner_options.hpp"

namespace ttune::inline v0::detail {

class budget_meter {
 public:
  budget_meter(tuning_budget const& budget, std::size_t workloads) : budget_(budget), workloads_(workloads) {}

  [[nodiscard]] tuning_budget const& budget() const noexcept { return budget_; }
  [[nodiscard]] std::size_t workloads() const noexcept { return workloads_; }
  [[nodiscard]] std::int64_t trials_left() const noexcept { return std::max<std::int64_t>(0, budget_.trials - trials_); }
  [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
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
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::int64_t trials_ = 0;
  double reserved_ = 0;
};

}  // namespace ttune::inline v0::detail
