// SPDX-License-Identifier: Apache-2.0
// Says how much the application would gain if a kernel were tuned: calls × time of a call × expected gain.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ttune/live/call_counter.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Recent calls count more than old ones: half as much after each half a minute.
class call_interest {
 public:
  /// Takes note of all calls so far, at a moment in seconds.
  void note(call_totals const& all, double now) noexcept {
    auto const news = all.since(seen_);
    if (news.timed > 0) seconds_each_ = news.seconds_each();
    if (now > at_) recent_ *= std::exp2((at_ - now) / half_life);
    recent_ += static_cast<double>(news.calls) * seconds_each_;
    seen_ = all;
    at_ = std::max(at_, now);
  }
  /// Returns the seconds of recent calls that tuning may save: half of them before the first trial, and less the more
  /// trials were made. Returns 0 if so little is not worth a trial.
  [[nodiscard]] double hoped_saving(std::int64_t trials) const noexcept {
    constexpr double hope = 0.5;
    constexpr double patience = 16;             // trials
    constexpr double least = 1e-4 * half_life;  // one ten-thousandth of a thread's time
    if (recent_ < least) return 0;
    return recent_ * hope / std::sqrt(1 + static_cast<double>(trials) / patience);
  }

 private:
  static constexpr double half_life = 30;  ///< seconds

  call_totals seen_;
  double seconds_each_ = 0;
  double recent_ = 0;
  double at_ = 0;
};

}}}  // namespace ttune::v0::detail
