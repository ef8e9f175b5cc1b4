// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/network/task_scheduler.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline constexpr double trust_in_last_rounds = 0.5;  ///< the other share is hope
inline constexpr double hoped_speed = 2;             ///< over the present speed, and over that of the fastest of a kind
inline constexpr double weight_of_new_round = 0.5;   ///< in the mean gain of the last rounds
inline constexpr double least_spent = 1e-6;          ///< seconds

}  // namespace detail

std::size_t task_scheduler::add(scheduled_task const& what, double seconds, double spent) {
  tasks_.push_back({what, seconds, std::max(spent, detail::least_spent)});
  return tasks_.size() - 1;
}

void task_scheduler::observe(std::size_t task, double seconds, double spent) {
  auto& t = tasks_[task];
  auto const duration = std::max(spent - t.spent, detail::least_spent);
  auto const gain = std::max(0.0, t.seconds - seconds) / duration;
  t.slope = detail::weight_of_new_round * gain + (1 - detail::weight_of_new_round) * t.slope;
  t.seconds = seconds;
  t.spent += duration;
}

void task_scheduler::set_use(std::size_t task, double calls, double behind) {
  tasks_[task].of.calls = calls;
  tasks_[task].of.behind = behind;
}

void task_scheduler::end(std::size_t task) { tasks_[task].ended = true; }

double task_scheduler::reachable_seconds(state const& task) const {
  auto reachable = task.seconds / detail::hoped_speed;
  if (task.of.flops <= 0) return reachable;
  for (auto const& other : tasks_)
    if (other.of.kind == task.of.kind && other.of.flops > 0)
      reachable = std::min(reachable, task.of.flops * other.seconds / other.of.flops / detail::hoped_speed);
  auto const floor = peak_ > 0 ? task.of.flops / peak_ : 0;
  return std::min(std::max(reachable, floor), task.seconds);
}

double task_scheduler::expected_gain(std::size_t task) const {
  auto const& t = tasks_[task];
  auto const possible = t.seconds - reachable_seconds(t);
  auto const hoped = possible / t.spent;
  auto const rate = detail::trust_in_last_rounds * t.slope + (1 - detail::trust_in_last_rounds) * hoped;
  auto const gain = std::min(rate * t.spent, possible) - t.of.behind;  // if as much time is spent once more
  return t.of.calls * std::max(0.0, gain) / t.spent;
}

std::optional<std::size_t> task_scheduler::next() const {
  std::optional<std::size_t> best;
  double most = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i].ended) continue;
    if (auto const gain = expected_gain(i); gain > most) most = gain, best = i;
  }
  return best;
}

}}  // namespace ttune::v0
