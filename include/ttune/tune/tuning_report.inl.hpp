// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <utility>

#include "ttune/records/effort_json.hpp"
#include "ttune/tune/tuning_report.hpp"

namespace ttune { inline namespace v0 {

std::string tuning_report::text() const {
  static constexpr char const* origins[] = {"found in the records", "tuned", "the heuristic seed"};
  char line[256];
  std::string made;
  made += workload + ": " + origins[static_cast<int>(source)];
  if (continued) made += source == origin::record ? ", tuned on without gain" : " from a record";
  if (seconds > 0) {
    std::snprintf(line, sizeof line, ", %.4g ms", seconds * 1e3);
    made += line;
  } else {
    made += ", not measured";
  }
  if (flops > 0 && seconds > 0) {
    std::snprintf(line, sizeof line, " (%.1f GFLOP/s, spread %.1f %%)", flops / seconds * 1e-9, spread * 100);
    made += line;
  }
  made += "\n";
  if (!fallback.empty()) made += "  the stored image: " + fallback + "\n";
  if (!seed_refused.empty()) made += "  " + seed_refused + "\n";
  if (!alternative.empty()) made += "  by " + alternative + "\n";
  for (auto const& a : alternatives) {
    std::snprintf(line, sizeof line, ": %.4g ms after %lld trials", a.seconds * 1e3, static_cast<long long>(a.trials));
    made += "  " + a.name + (a.refused.empty() ? line : ": refused, " + a.refused) + "\n";
  }
  if (trials > 0) {
    std::snprintf(line, sizeof line, "  %lld trials of a space of %s in %.1f s; %.2f times the %s kernel (%.4g ms)\n",
                  static_cast<long long>(trials), space_size.c_str(), tuning_seconds, gain,
                  continued ? "recorded" : "untuned", seed_seconds * 1e3);
    made += line;
    for (std::size_t s = 1; s < trial_statuses; ++s)
      if (trials_by_status[s] != 0)
        made += "  " + std::to_string(trials_by_status[s]) + " " + name_of(static_cast<trial_status>(s)) + "\n";
    if (same_programs != 0)
      made += "  " + std::to_string(same_programs) + " more proposals meant programs that were known\n";
    auto const how = recorded   ? "; all times are recorded ones"
                     : counted  ? "; all times are counted ones, nothing ran"
                     : isolated ? ""
                                : "; candidates ran in this process, unprotected";
    made += "  stopped: " + stopped_because + how + "\n";
  }
  if (effort && (source == origin::record || continued)) made += "  in all: " + text_of(effort) + "\n";
  return made + "  " + schedule + "\n";
}

std::string tuning_report::json() const {
  static constexpr char const* origins[] = {"record", "tuned", "seed"};
  json_value::object made{{"workload", {workload}},
                          {"source", {std::string(origins[static_cast<int>(source)])}},
                          {"continued", {continued}},
                          {"seconds", {seconds}},
                          {"spread", {spread}},
                          {"seed_seconds", {seed_seconds}},
                          {"gain", {gain}},
                          {"flops", {flops}},
                          {"trials", {trials}},
                          {"tuning_seconds", {tuning_seconds}},
                          {"space_size", {space_size}},
                          {"stopped_because", {stopped_because}},
                          {"schedule", {schedule}}};
  if (effort) made.push_back({"effort", detail::json_of(effort)});
  for (auto const& [name, text] : {std::pair{"alternative", &alternative}, std::pair{"fallback", &fallback},
                                   std::pair{"seed_refused", &seed_refused}})
    if (!text->empty()) made.push_back({name, {*text}});
  std::string line;
  write_json(line, json_value{std::move(made)});
  return line;
}

}}  // namespace ttune::v0
