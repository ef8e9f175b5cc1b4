// SPDX-License-Identifier: Apache-2.0
#include "tool.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <compare>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <span>

#include "ttune/records/json_lines.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/records/sqlite.hpp"

namespace ttune_tool {

std::unique_ptr<ttune::record_store> open_for_reading(std::string const& path) {
  char first = 0;
  if (std::ifstream in(path, std::ios::binary); in >> first && first == '{') {
    in.seekg(0);
    auto store = std::make_unique<ttune::memory_store>();
    auto const summary = read_json_lines(in, *store);
    if (summary.records == 0) throw failure(path + ": holds no records: " + summary.first_fault);
    if (summary.skipped > 0)
      std::fprintf(stderr, "ttune: %s: %" PRId64 " lines skipped; %s\n", path.c_str(), summary.skipped,
                   summary.first_fault.c_str());
    return store;
  }
  return std::make_unique<ttune::sqlite>(path, ttune::record_mode::read_only);
}

ttune::key_summary find_key(ttune::record_store const& in, std::string const& path, std::string_view id) {
  std::vector<ttune::key_summary> found;
  for (auto& s : in.keys())
    if (!id.empty() && id_of(s.key).starts_with(id)) found.push_back(std::move(s));
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw failure(path + ": has no key " + std::string(id) + "; `ttune records list " + path + "` names those it has");
  std::string message = path + ": " + std::string(id) + " begins several keys; say more of it:";
  for (auto const& s : found) message += "\n  " + id_of(s.key) + "  " + title_of(s.key);
  throw failure(message);
}

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string in_units(double seconds) {
  if (!std::isfinite(seconds) || seconds <= 0) return "-";
  if (seconds < 1e-6) return number(seconds * 1e9) + " ns";
  if (seconds < 1e-3) return number(seconds * 1e6) + " us";
  if (seconds < 1) return number(seconds * 1e3) + " ms";
  if (seconds < 120) return number(seconds) + " s";
  return seconds < 7200 ? number(seconds / 60, 3) + " min" : number(seconds / 3600, 3) + " h";
}

std::string effort_text(ttune::recorded_effort const& spent) { return spent ? text_of(spent) : "-"; }

std::string percent(double share) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

std::string time_of_day(std::int64_t milliseconds) {
  std::time_t const seconds = milliseconds / 1000;
  std::tm parts{};
  char text[40] = "unknown";
  if (::gmtime_r(&seconds, &parts)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

std::string choices_text(ttune::record const& r) {
  std::string text;
  for (auto const& c : r.choices) {
    text += (text.empty() ? "" : ", ") + c.knob + " = ";
    for (std::size_t i = 0; i < c.values.size(); ++i) text += (i ? " x " : "") + std::to_string(c.values[i]);
    if (c.values.empty()) text += "#" + std::to_string(c.index);
  }
  return text;
}

ttune::json_value json_of(ttune::record_key const& key) {
  ttune::json_value::array extents(key.extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) extents[i].what = key.extents[i];
  return {ttune::json_value::object{{"id", {id_of(key)}},
                                    {"title", {title_of(key)}},
                                    {"compute", {key.compute_text}},
                                    {"extents", {extents}},
                                    {"target", {key.target}},
                                    {"objective", {key.objective}}}};
}

void print_json(ttune::json_value const& value) {
  std::string text;
  write_json(text, value);
  std::puts(text.c_str());
}

std::optional<double> key_history::share_of_peak() const noexcept {
  if (!winner || winner->result.seconds <= 0 || flops <= 0 || peak <= 0) return std::nullopt;
  return flops / winner->result.seconds / peak;
}

key_history history_of(ttune::record_store const& in, ttune::record_key const& key, double peak) {
  key_history h;
  h.key = key;
  h.records = in.all(key);
  h.text = in.explanation(key);
  if (auto const image = in.get_image(key); image || image.of.key == key) h.winner = image.of;  // usable or not
  else h.winner = in.best(key);
  h.flops = h.text ? h.text->flops : 0;
  h.peak = peak > 0 ? peak : h.text ? h.text->peak_flops_per_second : 0;
  auto const positive = [](double seconds) { return std::isfinite(seconds) && seconds > 0 ? seconds : 0; };
  for (auto const& r : h.records) {
    if (r.effort) h.effort = r.effort;
    ++h.by_status[static_cast<std::size_t>(r.result.status)];
    h.compile_seconds += positive(r.result.compile_seconds);
    h.measure_seconds += positive(r.result.measure_seconds);
  }
  return h;
}

void find_pauses(std::span<key_history* const> all) {
  struct moment {
    std::int64_t timestamp;
    std::size_t number;  // equal times: in the order of the keys
    ttune::record const* of;
    key_history* in;
    auto operator<=>(moment const&) const = default;
  };
  std::vector<moment> line;
  for (auto* const h : all)
    for (auto const& r : h->records) line.push_back({r.timestamp, line.size(), &r, h});
  std::ranges::sort(line);
  auto const seconds = [](double s) { return std::isfinite(s) && s > 0 ? s : 0; };
  for (std::size_t i = 1; i < line.size(); ++i) {
    auto const& m = line[i].of->result;
    auto const gap = static_cast<double>(line[i].timestamp - line[i - 1].timestamp) * 1e-3;
    if (gap < 30) line[i].in->other_seconds += seconds(gap - seconds(m.compile_seconds) - seconds(m.measure_seconds));
  }
}

std::optional<prediction> prediction_of(key_history const& of) {
  if (!of.winner) return std::nullopt;
  double best_before = 0;
  for (auto const& r : of.records) {
    if (r.predicted && r.choices == of.winner->choices) {
      auto const usable = *r.predicted > 0 && std::isfinite(*r.predicted);
      return prediction{*r.predicted, usable ? best_before / *r.predicted : 0};
    }
    if (r.result.ok() && r.result.seconds > 0 && (best_before == 0 || r.result.seconds < best_before))
      best_before = r.result.seconds;
  }
  return std::nullopt;
}

}  // namespace ttune_tool
