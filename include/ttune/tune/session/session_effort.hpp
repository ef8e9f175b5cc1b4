// SPDX-License-Identifier: Apache-2.0
// The limits of an effort level within a tuning, and the effort that its records get.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ttune/records/effort.hpp"
#include "ttune/records/store.hpp"
#include "ttune/tune/effort.hpp"
#include "ttune/tune/session/budget_meter.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Trials and seconds of a session or of several together, those of earlier starts included.
struct effort_so_far {
  std::int64_t trials = 0;      ///< in all
  std::int64_t now = 0;         ///< of them, since this start
  std::int64_t since_gain = 0;  ///< trials since the last gain
  double seconds = 0;

  /// Adds the trials and the seconds of another session. Gains are those of the best one, which the caller knows.
  void add(effort_so_far const& other) noexcept {
    trials += other.trials;
    now += other.now;
    seconds += other.seconds;
  }
};

/// Returns how a tuning ended that gave this reason.
[[nodiscard]] recorded_effort::ending ending_of(std::string const& why);

/// The limits of a budget's effort level, within one session or within several together; without a level, none.
class effort_limits {
 public:
  /// Keeps a reference to the budget.
  explicit effort_limits(budget_meter const& budget) : budget_(budget) {}

  /// Sets the limits for spaces of so many configurations in all, and an untuned kernel of so many seconds a call.
  void set(double configurations, double seconds_of_call);
  /// Returns the trials that the level leaves, at least one.
  [[nodiscard]] std::int64_t trials_left(effort_so_far const& spent) const noexcept;
  /// Returns why the level ends the tuning; empty if it does not.
  [[nodiscard]] std::string exhausted(effort_so_far const& spent) const;
  /// Returns the effort of a record. A tuning that was cut short leaves what an earlier one came to the end of.
  [[nodiscard]] recorded_effort recorded(effort_so_far const& spent, recorded_effort::ending ended,
                                         recorded_effort const* earlier = nullptr) const;

 private:
  [[nodiscard]] effort_level level() const noexcept { return budget_.budget().effort; }

  budget_meter const& budget_;
  level_limits limits_;
};

/// Returns true if a record answers what a budget asks for. The sizes of spaces are needed only to compare a level with
/// numbers of trials: `configurations` is called then.
template <class Configurations>
[[nodiscard]] bool answers(record const& r, asked_effort asked, Configurations const& configurations) {
  if (suffices(r.effort, asked)) return true;
  if (!r.effort || asked.level == effort_level::none || asked.level == effort_level::exhaustive) return false;
  asked.trials = limits_of(asked.level, configurations(), r.result.seconds).trials;
  return suffices(r.effort, asked);
}

/// Returns true if a record is taken as it is: a better one could not be kept, or `answers` says so of it or of another
/// record of its key, whose effort it gets then. Without an image, the fastest record is one of the trials, and the
/// record of the tuning's end has the effort.
[[nodiscard]] bool takes(record_store const& in, record& of, std::function<bool(record const&)> const& answers);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/session_effort.inl.hpp"
#endif
