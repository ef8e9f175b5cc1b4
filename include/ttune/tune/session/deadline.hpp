// SPDX-License-Identifier: Apache-2.0
// The moment at which a stage of a batch has to end.
#pragma once

#include <limits>
#include <stop_token>
#include <utility>

#include "ttune/tune/session/session_clock.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A value: a moment of the session's clock, and a token that may end the stage sooner. By default it never passes.
class deadline {
 public:
  deadline() = default;
  /// `at` is in seconds of the clock, which must outlive this object.
  deadline(session_clock const& clock, double at, std::stop_token stop)
      : clock_(&clock), at_(at), stop_(std::move(stop)) {}

  /// Only the thread of the tuning calls this: the clock may be the user's.
  [[nodiscard]] bool passed() const { return stop_.stop_requested() || (clock_ && clock_->elapsed() >= at_); }

 private:
  session_clock const* clock_ = nullptr;
  double at_ = std::numeric_limits<double>::infinity();
  std::stop_token stop_;
};

}}}  // namespace ttune::v0::detail
