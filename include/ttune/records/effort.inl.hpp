// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>

#include "ttune/records/effort.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline constexpr std::array<char const*, 5> effort_names = {"none", "estimate", "measure", "patient", "exhaustive"};
inline constexpr std::array<char const*, 4> ending_names = {"unknown", "cut short", "at its limit", "complete"};

/// Returns true if limits leave at least as much room as others.
inline bool are_as_wide(asked_effort const& a, asked_effort const& b) noexcept {
  if (a.seconds < b.seconds) return false;
  if (a.level != effort_level::none && b.level != effort_level::none) return a.level >= b.level;
  bool const as_patient = a.patience == 0 || (b.patience > 0 && a.patience >= b.patience);
  return a.level == effort_level::none && a.trials >= b.trials && as_patient;
}

}  // namespace detail

char const* name_of(effort_level level) noexcept { return detail::effort_names[static_cast<std::size_t>(level)]; }

effort_level effort_level_named(std::string_view name) noexcept {
  for (std::size_t i = 1; i < detail::effort_names.size(); ++i)
    if (name == detail::effort_names[i]) return static_cast<effort_level>(i);
  return effort_level::none;
}

char const* name_of(recorded_effort::ending ended) noexcept {
  return detail::ending_names[static_cast<std::size_t>(ended)];
}

bool suffices(recorded_effort const& known, asked_effort const& asked) noexcept {
  if (asked.level == effort_level::estimate || (asked.level == effort_level::none && asked.trials == 0)) return true;
  if (!known) return asked.level != effort_level::exhaustive;
  using ending = recorded_effort::ending;
  if (known.ended == ending::complete) return true;
  bool const cut_short = known.ended == ending::cut_short;
  bool const counts = asked.level != effort_level::exhaustive && asked.trials > 0;
  bool const as_many = counts && known.trials >= asked.trials;
  // A tuning that was killed may lack the comparison at its end: only what it passed on its way is answered.
  if (cut_short) return as_many && known.asked.trials > asked.trials;
  return as_many || detail::are_as_wide(known.asked, asked) || known.seconds >= asked.seconds;
}

std::string text_of(recorded_effort const& spent) {
  char line[96];
  std::snprintf(line, sizeof line, "%lld %s in %.3g s", static_cast<long long>(spent.trials),
                spent.trials == 1 ? "trial" : "trials", spent.seconds);
  std::string made = line;
  if (spent.asked.level != effort_level::none) made += std::string(", ") + name_of(spent.asked.level);
  if (spent.ended != recorded_effort::ending::at_limit) made += std::string(", ") + name_of(spent.ended);
  return made;
}

}}  // namespace ttune::v0
