// SPDX-License-Identifier: Apache-2.0
// The clock of one tuning; budgets and reports use no other.
#pragma once

#include <chrono>
#include <cmath>
#include <exception>
#include <functional>

namespace ttune { inline namespace v0 { namespace detail {

/// Seconds since its creation; they never decrease. If the source steps back, the clock stops for that step only.
class session_clock {
 public:
  /// `source` returns seconds since some moment; without a source it is std::chrono::steady_clock.
  explicit session_clock(std::function<double()> const& source) : source_(source), last_(now()) {}
  session_clock(session_clock const&) = delete;
  session_clock& operator=(session_clock const&) = delete;

  [[nodiscard]] double elapsed() const {
    double at = last_;
    try {
      at = now();
    } catch (...) {  // scopes are timed in destructors, which must not throw
      failure_ = std::current_exception();
    }
    if (!std::isfinite(at)) return elapsed_;
    if (at > last_) elapsed_ += at - last_;
    last_ = at;
    return elapsed_;
  }
  /// Throws the exception that the source threw, if any.
  void check() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  [[nodiscard]] double now() const {
    if (source_) return source_();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  std::function<double()> const& source_;
  mutable double last_;
  mutable double elapsed_ = 0;
  mutable std::exception_ptr failure_;
};

}}}  // namespace ttune::v0::detail
