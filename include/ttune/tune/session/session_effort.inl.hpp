// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/tune/session/session_effort.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::string reason_of_level(effort_level level, level_limits const& limits, effort_so_far const& spent) {
  if (spent.now < least_more_trials && spent.now < spent.trials) return {};
  if (spent.trials >= limits.trials) return "all trials of effort " + std::string(name_of(level)) + " were made";
  if (limits.patience > 0 && spent.since_gain >= limits.patience)
    return "no gain in " + std::to_string(limits.patience) + " trials";
  if (spent.seconds >= limits.seconds) return "the time of effort " + std::string(name_of(level)) + " is over";
  return {};
}

recorded_effort::ending ending_of(std::string const& why) {
  if (why == stopped_text || why == deadline_text) return recorded_effort::ending::cut_short;
  if (why == whole_space_text || why == nothing_new_text) return recorded_effort::ending::complete;
  return recorded_effort::ending::at_limit;
}

recorded_effort effort_of(effort_so_far const& spent, recorded_effort::ending ended, asked_effort const& asked,
                          recorded_effort const* earlier) {
  bool const ended_earlier = earlier && earlier->ended != recorded_effort::ending::cut_short;
  if (ended == recorded_effort::ending::cut_short && ended_earlier)
    return {spent.trials, spent.seconds, earlier->ended, earlier->asked};
  return {spent.trials, spent.seconds, ended, asked};
}

bool takes(record_store const& in, record& of, std::function<bool(record const&)> const& answers) {
  bool const taken = answers(of);
  if (taken && (!of.effort || of.effort.ended != recorded_effort::ending::cut_short)) return true;
  bool found = taken || !in.lasting();
  for (auto& other : in.all(of.key)) {
    if (!answers(other)) continue;
    of.effort = other.effort;
    found = true;
  }
  return found;
}

}}}  // namespace ttune::v0::detail
