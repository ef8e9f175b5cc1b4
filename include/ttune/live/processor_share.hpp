// SPDX-License-Identifier: Apache-2.0
// Keeps a kind of work within a share of one core: after each piece it rests until the piece is paid.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Time that passes earns `share` of itself as processor time. What is earned while there is nothing to do is kept for
/// a second of time only, so that no burst of work follows a pause. Used by one thread at a time.
class processor_share {
 public:
  /// `clock` returns seconds, `used` the processor time of the work in seconds; `pause` waits.
  processor_share(double share, std::function<double()> clock, std::function<double()> used,
                  std::function<void(double seconds)> pause)
      : share_(share), clock_(std::move(clock)), used_(std::move(used)), pause_(std::move(pause)) {
    at_ = clock_();
    spent_ = used_();
  }

  /// Returns after what was used is paid.
  void rest() {
    settle();
    if (earned_ >= 0) return;
    auto const began = clock_();
    pause_(-earned_ / share_);
    rested_ += std::max(0.0, clock_() - began);
    settle();
  }
  /// Returns the seconds of all pauses so far.
  [[nodiscard]] double rested() const noexcept { return rested_; }

 private:
  static constexpr double kept_seconds = 1;

  void settle() {
    auto const now = clock_();
    auto const spent = used_();
    earned_ = std::min(share_ * kept_seconds, earned_ + share_ * std::max(0.0, now - at_));
    earned_ -= std::max(0.0, spent - spent_);
    at_ = now;
    spent_ = spent;
  }

  double share_;
  std::function<double()> clock_;
  std::function<double()> used_;
  std::function<void(double)> pause_;
  double at_ = 0;
  double spent_ = 0;
  double earned_ = 0;  ///< seconds of processor time that were not used; negative: a debt
  double rested_ = 0;
};

}}}  // namespace ttune::v0::detail
