// SPDX-License-Identifier: Apache-2.0
// The limits of an effort level within one session, and the effort that its records get.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ttune/records/effort.hpp"
#include "ttune/records/store.hpp"
#include "ttune/tune/effort.hpp"
#include "ttune/tune/session/budget_meter.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A tuning that goes on makes at least so many trials: the recorded kernel, and what may be faster.
inline constexpr std::int64_t least_more_trials = 4;

/// Trials and seconds of a session or of several together, those of earlier starts included.
struct effort_so_far {
  std::int64_t trials = 0;      ///< in all
  std::int64_t now = 0;         ///< of them, since this start
  std::int64_t since_gain = 0;  ///< trials since the last gain
  double seconds = 0;
};

/// Returns why a level ends a session; empty if it does not.
[[nodiscard]] std::string reason_of_level(effort_level level, level_limits const& limits, effort_so_far const& spent);

/// Returns how a tuning ended that gave this reason.
[[nodiscard]] recorded_effort::ending ending_of(std::string const& why);

/// Returns the effort of a record. A tuning that was cut short leaves what an earlier one came to the end of.
[[nodiscard]] recorded_effort effort_of(effort_so_far const& spent, recorded_effort::ending ended,
                                        asked_effort const& asked, recorded_effort const* earlier);

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
