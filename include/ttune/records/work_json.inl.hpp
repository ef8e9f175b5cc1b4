// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ttune/records/work_json.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

// Files hold these names: they do not change.
inline constexpr std::array<char const*, resources> resource_names = {"arithmetic", "division", "load", "store",
                                                                      "latency",    "l2",       "l3",   "memory"};
inline constexpr std::array<char const*, demand_causes> cause_names = {
    "work", "function", "idle lanes", "one sum", "strided", "gathered", "reloaded", "spilled", "repeated"};

/// Returns the enumerator that a name stands for.
template <class Enum, std::size_t Count>
[[nodiscard]] std::optional<Enum> named(std::array<char const*, Count> const& names, json_value const& v) {
  auto const found = std::find(names.begin(), names.end(), v.text());
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

/// Returns a number of an object that is in [low, 1e18]; nothing for others.
[[nodiscard]] inline std::optional<double> amount_of(json_value const* v, double low = 0) {
  auto const value = v ? v->number(-1) : -1;
  return std::isfinite(value) && value >= low && value <= 1e18 ? std::optional(value) : std::nullopt;
}

[[nodiscard]] inline json_value json_of(work_demand const& d) {
  return {json_value::array{{resource_names[static_cast<std::size_t>(d.of)]},
                            {cause_names[static_cast<std::size_t>(d.why)]},
                            {d.statement},
                            {d.operand},
                            {d.loop},
                            {d.amount},
                            {d.number},
                            {static_cast<std::int64_t>(d.group)}}};
}

[[nodiscard]] inline bool read_demand(json_value const& v, work_demand& to) {
  constexpr std::int64_t most_statements = 100'000;
  auto const* const items = v.as<json_value::array>();
  if (!items || items->size() != 8) return false;
  auto const& at = *items;
  auto const of = named<resource>(resource_names, at[0]);
  auto const why = named<demand_cause>(cause_names, at[1]);
  auto const amount = amount_of(&at[5]);
  auto const number = amount_of(&at[6]);
  auto const group = at[7].integer(-1);
  if (!of || !why || !amount || !number || group < 0 || group >= most_statements) return false;
  to = {*of, *why, at[2].text(), at[3].text(), at[4].text(), *amount, *number, static_cast<std::size_t>(group)};
  return true;
}

[[nodiscard]] inline json_value json_of(work_phase const& p) {
  json_value::array demands;
  for (auto const& d : p.demands) demands.push_back(json_of(d));
  return {json_value::object{
      {"loop", {p.loop}}, {"tasks", {p.tasks}}, {"starts", {p.starts}}, {"demands", {std::move(demands)}}}};
}

[[nodiscard]] inline bool read_phase(json_value const& v, work_phase& to) {
  auto const* const loop = v.find("loop");
  auto const tasks = amount_of(v.find("tasks"), 1);
  auto const starts = amount_of(v.find("starts"));
  auto const* const found = v.find("demands");
  auto const* const demands = found ? found->as<json_value::array>() : nullptr;
  if (!loop || !tasks || !starts || !demands) return false;
  to = {loop->text(), *tasks, *starts, {}};
  for (auto const& d : *demands)
    if (!read_demand(d, to.demands.emplace_back())) return false;
  return true;
}

}  // namespace detail

json_value json_of(kernel_work const& work) {
  json_value::array phases;
  for (auto const& p : work.phases) phases.push_back(detail::json_of(p));
  return {json_value::object{{"threads", {std::int64_t{work.threads}}},
                             {"operations", {work.operations}},
                             {"bytes", {work.bytes}},
                             {"vectors", {work.vectors}},
                             {"from", {detail::resource_names[static_cast<std::size_t>(work.from)]}},
                             {"phases", {std::move(phases)}}}};
}

kernel_work read_work(json_value const* v) {
  if (!v) return {};
  auto const threads = detail::amount_of(v->find("threads"), 1);
  auto const operations = detail::amount_of(v->find("operations"));
  auto const bytes = detail::amount_of(v->find("bytes"));
  auto const vectors = detail::amount_of(v->find("vectors"));
  auto const* const from = v->find("from");
  auto const level = from ? detail::named<resource>(detail::resource_names, *from) : std::nullopt;
  auto const* const found = v->find("phases");
  auto const* const phases = found ? found->as<json_value::array>() : nullptr;
  if (!threads || *threads > 65536 || !operations || !bytes || !vectors || !level || !phases) return {};
  kernel_work made{static_cast<std::int32_t>(*threads), *operations, *bytes, *vectors, *level, {}};
  for (auto const& p : *phases)
    if (!detail::read_phase(p, made.phases.emplace_back())) return {};
  return made;
}

json_value json_of(machine_roof const& roof) {
  auto const rates = [](std::array<double, 3> const& of) {
    return json_value{json_value::array{{of[0]}, {of[1]}, {of[2]}}};
  };
  return {json_value::object{{"target", {roof.target}},
                             {"threads", {std::int64_t{roof.threads}}},
                             {"fma_seconds", {roof.arithmetic}},
                             {"division_seconds", {roof.division}},
                             {"load_seconds", {roof.load}},
                             {"store_seconds", {roof.store}},
                             {"add_latency_seconds", {roof.latency}},
                             {"one_core_bytes_per_second", rates(roof.one_core)},
                             {"all_cores_bytes_per_second", rates(roof.all_cores)},
                             {"start_seconds", {roof.start}}}};
}

machine_roof read_roof(json_value const* v) {
  constexpr double least = 1e-15;
  machine_roof made;
  if (!v) return {};
  bool good = true;
  auto const read = [&](json_value const* from, double& to, double low) {
    auto const value = detail::amount_of(from, low);
    good = good && value;
    to = value.value_or(0);
  };
  auto const read_rates = [&](char const* name, std::array<double, 3>& to) {
    auto const* const found = v->find(name);
    auto const* const items = found ? found->as<json_value::array>() : nullptr;
    good = good && items && items->size() == to.size();
    for (std::size_t i = 0; good && i < to.size(); ++i) read(&(*items)[i], to[i], 1);
  };
  double threads = 0;
  read(v->find("threads"), threads, 1);
  read(v->find("fma_seconds"), made.arithmetic, least);
  read(v->find("division_seconds"), made.division, least);
  read(v->find("load_seconds"), made.load, least);
  read(v->find("store_seconds"), made.store, least);
  read(v->find("add_latency_seconds"), made.latency, least);
  read(v->find("start_seconds"), made.start, 0);
  read_rates("one_core_bytes_per_second", made.one_core);
  read_rates("all_cores_bytes_per_second", made.all_cores);
  auto const* const target = v->find("target");
  if (!good || !target || threads > 65536) return {};
  made.target = target->text();
  made.threads = static_cast<std::int32_t>(threads);
  return made;
}

}}  // namespace ttune::v0
