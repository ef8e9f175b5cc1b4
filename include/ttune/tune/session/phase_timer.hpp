// SPDX-License-Identifier: Apache-2.0
// Adds the seconds of a scope to a sum.
#pragma once

#include <chrono>

#include "ttune/tune/tuning_report.hpp"

namespace ttune::inline v0::detail {

class scope_timer {
 public:
  explicit scope_timer(double& seconds) : seconds_(seconds) {}
  scope_timer(scope_timer const&) = delete;
  scope_timer& operator=(scope_timer const&) = delete;
  ~scope_timer() { seconds_ += elapsed(); }
  [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

[[nodiscard]] inline scope_timer time_phase(tuning_report& report, tuning_phase phase) {
  return scope_timer(report.phase_seconds[static_cast<std::size_t>(phase)]);
}

}  // namespace ttune::inline v0::detail
