// SPDX-License-Identifier: Apache-2.0
// Adds the seconds of a scope to a sum.
#pragma once

#include "ttune/tune/session/session_clock.hpp"
#include "ttune/tune/tuning_report.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class scope_timer {
 public:
  scope_timer(session_clock const& clock, double& seconds) : clock_(clock), seconds_(seconds) {}
  scope_timer(scope_timer const&) = delete;
  scope_timer& operator=(scope_timer const&) = delete;
  ~scope_timer() { seconds_ += elapsed(); }
  [[nodiscard]] double elapsed() const { return clock_.elapsed() - start_; }

 private:
  session_clock const& clock_;
  double& seconds_;
  double start_ = clock_.elapsed();
};

/// Returns the place of a phase's seconds in a report.
[[nodiscard]] inline double& seconds_of(tuning_report& report, tuning_phase phase) noexcept {
  return report.phase_seconds[static_cast<std::size_t>(phase)];
}

[[nodiscard]] inline scope_timer time_phase(session_clock const& clock, tuning_report& report, tuning_phase phase) {
  return {clock, seconds_of(report, phase)};
}

}}}  // namespace ttune::v0::detail
