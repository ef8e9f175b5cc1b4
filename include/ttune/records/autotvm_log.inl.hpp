// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <istream>
#include <span>
#include <vector>

#include "ttune/records/autotvm_log.hpp"
#include "ttune/records/json_parts.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/hash.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns true if a choice is the recorded tuple, whose outermost factor may be open.
inline bool is_recorded(std::span<std::int32_t const> choice, std::vector<std::int32_t> const& recorded) {
  if (choice.size() != recorded.size()) return false;
  for (std::size_t i = 0; i < choice.size(); ++i)
    if (choice[i] != recorded[i] && !(i == 0 && choice.size() > 1 && recorded[i] == -1)) return false;
  return true;
}

inline std::string text_of(knob_choice const& c) {
  std::string text = c.knob + " =";
  for (auto const v : c.values) text += " " + std::to_string(v);
  return text;
}

inline json_value const* item_of(json_value const* list, std::size_t index) noexcept {
  auto const* const items = list ? list->as<json_value::array>() : nullptr;
  return items && index < items->size() ? &(*items)[index] : nullptr;
}

/// Appends the integers of a task's arguments to the extents, and its texts to the compute text.
inline void flatten_arguments(json_value const& v, record_key& key) {
  if (auto const* const items = v.as<json_value::array>())
    for (auto const& item : *items) flatten_arguments(item, key);
  else if (auto const* const number = v.as<std::int64_t>()) key.extents.push_back(*number);
  else if (auto const* const text = v.as<std::string>()) key.compute_text += " " + *text;
}

/// Converts a MeasureErrorNo of tvm.autotvm.measure.
inline trial_status autotvm_status(std::int64_t error) noexcept {
  switch (error) {
    case 0: return trial_status::ok;
    case 1: return trial_status::unsupported;  // instantiation: over a limit of the device
    case 2:
    case 3: return trial_status::compile_failed;
    case 5: return trial_status::wrong_result;
    case 6:
    case 7: return trial_status::timed_out;
    default: return trial_status::crashed;
  }
}

/// Parses a knob, as ["tile_f", "sp", [2, 1, 64, 4]], ["auto_unroll_max_step", "ot", 1500], ["order", "re", [1, 0]].
inline bool read_entity(json_value const& entity, knob_choice& choice) {
  auto const *const name = item_of(&entity, 0), *const value = item_of(&entity, 2);
  if (!name || !name->as<std::string>() || !value) return false;
  choice.knob = name->text();
  if (value->as<json_value::array>()) return read_integers(value, choice.values);
  json_value const list{json_value::array{*value}};
  return read_integers(&list, choice.values);
}

/// Parses a result: [costs, error, total seconds, time of day].
inline bool read_autotvm_result(json_value const* result, record& r) {
  auto const *const costs = item_of(result, 0), *const error = item_of(result, 1);
  auto const *const all = item_of(result, 2), *const time = item_of(result, 3);
  auto& m = r.result;
  if (!costs || !error || !error->as<std::int64_t>()) return false;
  m.status = autotvm_status(error->integer(0));
  m.measure_seconds = all ? all->number(0) : 0;
  r.timestamp = time ? static_cast<std::int64_t>(std::llround(std::clamp(time->number(0), 0.0, 1e12) * 1000)) : 0;
  std::vector<double> seconds;
  for (std::size_t i = 0; auto const* const cost = item_of(costs, i); ++i) {
    if (cost->as<std::string>()) m.message = cost->text();  // some versions write the failure's text here
    else seconds.push_back(cost->number(0));
  }
  if (!m.ok()) return true;
  constexpr double largest = 1e9;                                      // AutoTVM's value for "no time"
  auto const is_time = [](double t) { return t > 0 && t < largest; };  // false for NaN
  if (seconds.empty() || !std::ranges::all_of(seconds, is_time)) return false;
  std::ranges::sort(seconds);
  auto const n = seconds.size();
  m.samples = static_cast<std::int32_t>(n);
  m.seconds = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
  m.spread = m.seconds > 0 ? (seconds[n - 1 - n / 4] - seconds[n / 4]) / m.seconds : 0;
  return true;
}

}  // namespace detail

json_line_result from_autotvm_line(std::string_view text) {
  auto const [line, fault] = parse_json(text);
  if (!line) return {std::nullopt, fault};
  bool const is_old = line->find("i") != nullptr;
  auto const* const input = line->find(is_old ? "i" : "input");
  auto const* const config = is_old ? detail::item_of(input, 5) : line->find("config");
  auto const* const entities = config ? config->find(is_old ? "e" : "entity") : nullptr;
  auto const *const target = detail::item_of(input, 0), *const task = detail::item_of(input, 1);
  auto const* const arguments = detail::item_of(input, 2);
  if (!target || !task || !arguments || !entities || !entities->as<json_value::array>())
    return {std::nullopt, "no record of AutoTVM: task, arguments or configuration are missing"};

  record r;
  r.key.target = target->text();
  r.key.compute_text = task->text();
  detail::flatten_arguments(*arguments, r.key);
  hasher compute, space;
  compute.add(r.key.compute_text);
  for (auto const e : r.key.extents) compute.add(static_cast<std::uint64_t>(e));
  for (auto const& entity : *entities->as<json_value::array>()) {
    if (!detail::read_entity(entity, r.choices.emplace_back()))
      return {std::nullopt, "a knob of the configuration is not made of integers"};
    space.add(r.choices.back().knob);
  }
  r.key.compute = compute.value();
  r.key.space = space.value();
  if (!detail::read_autotvm_result(line->find(is_old ? "r" : "result"), r))
    return {std::nullopt, "the result is not [costs, error, seconds, time] with costs above 0"};
  auto const* const version = line->find("tvm_version");
  r.library_version = "AutoTVM" + (version ? " " + version->text() : std::string());
  return {std::move(r), {}};
}

import_summary read_autotvm_log(std::istream& in, record_store& into) {
  return detail::import_lines(in, into, from_autotvm_line);
}

json_line_result rebuild_choices(record r, std::vector<knob> const& knobs) {
  if (r.choices.size() != knobs.size())
    return {std::nullopt,
            "the record has " + std::to_string(r.choices.size()) + " knobs, the space " + std::to_string(knobs.size())};
  std::vector<knob_choice> rebuilt;
  for (auto const& k : knobs) {
    auto const from = std::ranges::find(r.choices, k.name, &knob_choice::knob);
    if (from == r.choices.end()) return {std::nullopt, "the record has no knob " + k.name};
    std::int32_t index = 0;
    while (index < k.choices() && !detail::is_recorded(k.choice(index), from->values)) ++index;
    if (index == k.choices()) return {std::nullopt, "the space has no choice " + detail::text_of(*from)};
    auto const values = k.choice(index);
    rebuilt.push_back({k.name, index, {values.begin(), values.end()}});
  }
  r.choices = std::move(rebuilt);
  return {std::move(r), {}};
}

import_summary read_autotvm_log(std::istream& in, record_store& into, std::vector<knob> const& knobs) {
  memory_store lines;
  auto summary = read_autotvm_log(in, lines);
  summary.records = 0;
  lines.for_each([&](record const& r) {
    auto const [rebuilt, fault] = rebuild_choices(r, knobs);
    if (rebuilt) {
      into.append(*rebuilt);
      ++summary.records;
    } else if (++summary.skipped == 1) {
      summary.first_fault = fault;
    }
    return true;
  });
  return summary;
}

std::int64_t autotvm_number(std::vector<knob> const& knobs, configuration const& chosen) noexcept {
  std::int64_t number = 0;
  std::int64_t weight = 1;
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    std::int64_t term = 0;
    if (__builtin_mul_overflow(weight, std::int64_t{chosen.choices[k]}, &term) ||
        __builtin_add_overflow(number, term, &number) ||
        __builtin_mul_overflow(weight, std::int64_t{knobs[k].choices()}, &weight))
      return -1;
  }
  return number;
}

}}  // namespace ttune::v0
