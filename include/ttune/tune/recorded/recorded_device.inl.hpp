// SPDX-License-Identifier: Apache-2.0
// Lookup of recorded measurements, and estimates fitted to them.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "ttune/support/error.hpp"
#include "ttune/tune/recorded/recorded_device.hpp"

namespace ttune { inline namespace v0 {

bool recorded_device::leave_out(std::string why) {
  if (++summary_.left_out == 1) summary_.first_fault = std::move(why);
  return false;
}

bool recorded_device::add(record const& r) {
  if (task_ && !(*task_ == r.key)) return leave_out("the record is of another task: " + r.key.compute_text);
  auto const chosen = find_configuration(knobs_, r.choices);
  if (!chosen) return leave_out("the configuration of a record is not of the space");
  auto const seconds = r.result.seconds;
  bool const ok = r.result.ok();
  if (ok && !(seconds > 0 && seconds < std::numeric_limits<double>::infinity()))
    return leave_out("a success without a time");
  task_ = r.key;
  ++summary_.records;
  auto const [at, fresh] = known_.try_emplace(*chosen);
  if (fresh) order_.push_back(*chosen);
  else ++summary_.repeated;
  auto& e = at->second;
  if (!ok) {
    ++e.failures;
    if (e.seconds.empty()) e.result = r.result;
  }
  if (ok) {
    e.seconds.insert(std::ranges::upper_bound(e.seconds, seconds), seconds);
    auto const n = e.seconds.size();
    e.result = r.result;
    e.result.seconds = (e.seconds[(n - 1) / 2] + e.seconds[n / 2]) / 2;
    e.result.samples = static_cast<std::int32_t>(n);
  }
  // Counts the configuration when the first success joins failures, or the first failure joins successes.
  if (e.failures > 0 && !e.seconds.empty() && (ok ? e.seconds.size() : e.failures) == 1) ++summary_.contradictory;
  return true;
}

recorded_answer recorded_device::measure(configuration const& chosen) const {
  if (auto const at = known_.find(chosen); at != known_.end()) return {recorded_source::recorded, at->second.result};
  recorded_answer answer;
  answer.result.status = trial_status::unsupported;
  answer.result.message = "not recorded";
  if (!estimate_) return answer;
  answer.source = recorded_source::estimated;
  answer.result.message = "not recorded: an estimate";
  auto const seconds = estimate_(chosen);
  if (!(seconds > 0 && seconds < std::numeric_limits<double>::infinity())) return answer;
  answer.result.status = trial_status::ok;
  answer.result.seconds = seconds;
  return answer;
}

double recorded_device::best_seconds() const noexcept {
  auto best = std::numeric_limits<double>::infinity();
  for (auto const& [chosen, e] : known_)
    if (e.result.ok()) best = std::min(best, e.result.seconds);
  return best;
}

time_estimate fit_oracle(recorded_device const& device, row_writer features, any_cost_model model) {
  auto const& all = device.configurations();
  if (all.empty()) throw argument_error("an oracle needs records to be fitted to");
  detail::feature_rows const rows(features, all);
  auto const best = device.best_seconds();
  std::vector<model_target> targets;
  std::vector<double> seconds;
  for (auto const& c : all) {
    auto const m = device.measure(c).result;
    targets.push_back({m.ok() ? static_cast<float>(best / m.seconds) : 0.0F, !m.ok(), 0});
    seconds.push_back(m.ok() ? m.seconds : std::numeric_limits<double>::infinity());
  }
  model->fit(rows.view(), targets);
  std::vector<float> scores(all.size());
  model->predict(rows.view(), scores);
  std::ranges::sort(scores);
  std::ranges::sort(seconds, std::greater<>{});  // by rank: the lowest score gets the longest time
  return [features = std::move(features), model = std::move(model), scores = std::move(scores),
          seconds = std::move(seconds)](configuration const& c) {
    detail::feature_rows const row(features, std::span(&c, 1));
    float score = 0;
    model->predict(row.view(), std::span(&score, 1));
    auto const [low, high] = std::ranges::equal_range(scores, score);
    auto const rank = static_cast<std::size_t>((low - scores.begin() + high - scores.begin()) / 2);
    return seconds[std::min(rank, seconds.size() - 1)];
  };
}

}}  // namespace ttune::v0
