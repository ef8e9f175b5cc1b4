// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "ttune/records/effort_json.hpp"

namespace ttune { inline namespace v0 { namespace detail {

json_value json_of(recorded_effort const& spent) {
  json_value::object made{
      {"trials", {spent.trials}}, {"seconds", {spent.seconds}}, {"ended", {std::string(name_of(spent.ended))}}};
  if (spent.asked.level != effort_level::none) made.push_back({"level", {std::string(name_of(spent.asked.level))}});
  made.push_back({"most_trials", {spent.asked.trials}});
  if (std::isfinite(spent.asked.seconds)) made.push_back({"most_seconds", {spent.asked.seconds}});
  if (spent.asked.patience > 0) made.push_back({"patience", {spent.asked.patience}});
  return {std::move(made)};
}

recorded_effort read_effort(json_value const* v) {
  if (!v || !v->as<json_value::object>()) return {};
  auto const integer = [&](char const* name) {
    auto const* const member = v->find(name);
    return member ? member->integer(0) : 0;
  };
  auto const number = [&](char const* name, double otherwise) {
    auto const* const member = v->find(name);
    return member ? member->number(otherwise) : otherwise;
  };
  auto const* const ended = v->find("ended");
  auto const* const level = v->find("level");
  recorded_effort made;
  made.trials = integer("trials");
  made.seconds = number("seconds", 0);
  made.ended = recorded_effort::ending::cut_short;
  for (auto const e : {recorded_effort::ending::at_limit, recorded_effort::ending::complete})
    if (ended && ended->text() == name_of(e)) made.ended = e;
  if (level) made.asked.level = effort_level_named(level->text());
  made.asked.trials = integer("most_trials");
  made.asked.seconds = number("most_seconds", std::numeric_limits<double>::infinity());
  made.asked.patience = integer("patience");
  return made;
}

}}}  // namespace ttune::v0::detail
