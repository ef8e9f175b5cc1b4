// SPDX-License-Identifier: Apache-2.0
// The limits of an effort level for several alternatives together, and the effort that their record gets.
#pragma once

#include "ttune/tune/session/alternatives_effort.hpp"
#include "ttune/tune/session/alternatives_session.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Sets the limits of a level: all alternatives together have those of one operator, whose space is that of all.
void alternatives_session::set_limits() {
  if (!has_level(budget_.budget())) return;
  limits_ = limits_of(budget_.budget().effort, sum_of<double>([](auto const& s) { return s.configurations(); }),
                      best_seconds());
}

effort_so_far alternatives_session::spent() const {
  effort_so_far made;
  for (auto const& c : candidates_)
    if (c.session) add_effort(made, c.session->spent());
  made.since_gain = made.now - last_gain_;
  return made;
}

std::string alternatives_session::reason_of_level() const {
  auto const& level = budget_.budget().effort;
  return level != effort_level::none ? detail::reason_of_level(level, limits_, spent()) : std::string();
}

recorded_effort alternatives_session::effort() const {
  auto asked = budget_.asked();
  if (asked.level != effort_level::none) asked.trials = limits_.trials;
  return effort_of(spent(), ending_of(reason_of_level().empty() ? budget_.exhausted() : std::string()), asked, nullptr);
}

}}}  // namespace ttune::v0::detail
