// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/tune/session/session_effort.hpp"

namespace ttune { inline namespace v0 { namespace detail {

recorded_effort::ending ending_of(std::string const& why) {
  if (why == stopped_text || why == deadline_text) return recorded_effort::ending::cut_short;
  if (why == whole_space_text || why == nothing_new_text) return recorded_effort::ending::complete;
  return recorded_effort::ending::at_limit;
}

void effort_limits::set(double configurations, double seconds_of_call) {
  if (has_level(budget_.budget())) limits_ = limits_of(level(), configurations, seconds_of_call);
}

std::int64_t effort_limits::trials_left(effort_so_far const& spent) const noexcept {
  return std::max<std::int64_t>(1, limits_.trials - spent.trials);
}

std::string effort_limits::exhausted(effort_so_far const& spent) const {
  if (!has_level(budget_.budget()) || (spent.now < least_more_trials && spent.now < spent.trials)) return {};
  if (spent.trials >= limits_.trials) return "all trials of effort " + std::string(name_of(level())) + " were made";
  if (limits_.patience > 0 && spent.since_gain >= limits_.patience)
    return "no gain in " + std::to_string(limits_.patience) + " trials";
  if (spent.seconds >= limits_.seconds) return "the time of effort " + std::string(name_of(level())) + " is over";
  return {};
}

recorded_effort effort_limits::recorded(effort_so_far const& spent, recorded_effort::ending ended,
                                        recorded_effort const* earlier) const {
  bool const ended_earlier = earlier && earlier->ended != recorded_effort::ending::cut_short;
  if (ended == recorded_effort::ending::cut_short && ended_earlier)
    return {spent.trials, spent.seconds, earlier->ended, earlier->asked};
  auto asked = budget_.asked();
  if (asked.level != effort_level::none) asked.trials = limits_.trials;
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
