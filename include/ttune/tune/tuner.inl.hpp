// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "ttune/model/forest_model.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/one_at_a_time.hpp"
#include "ttune/tune/session/alternatives_session.hpp"
#include "ttune/tune/session/tuning_session.hpp"
#include "ttune/tune/tuner.hpp"
#include "ttune/tune/tuning_tasks.hpp"
#include "ttune/tune/usable_space.hpp"

namespace ttune { inline namespace v0 {

tuner::tuner(std::shared_ptr<backend> compiler, tuner_options options)
    : backend_(std::move(compiler)),
      options_(std::move(options)),
      one_at_a_time_(std::make_shared<detail::one_at_a_time>()) {
  if (inside_worker())
    throw argument_error(
        "a tuner cannot be made inside a worker: call is_worker() and run_worker() first thing in main");
  if (options_.batch < 1) throw argument_error("tuner: a batch has at least one trial");
  if (!options_.model) options_.model = forest_model{};
  model_knows_ = options_.model->fitted();
  if (!options_.search) options_.search = annealing{};
  if (!options_.executor) options_.executor = default_executor();
}

space tuner::space_of(handle<ir::program> const& program) const {
  return usable_space(program, backend_->target(), options_.derive);
}

tuner tuner::without_records() const {
  auto made = *this;
  made.one_at_a_time_ = std::make_shared<detail::one_at_a_time>();
  made.options_.records = {};
  made.options_.on_progress = {};
  return made;
}

tuner tuner::with_objective(objective goal) const {
  auto made = *this;
  made.options_.objective = goal;
  return made;
}

tuning_result tuner::tune(space const& in, tuning_budget const& budget) {
  return std::move(tune_all({in}, budget).front());
}

tuning_result tuner::tune(handle<ir::program> const& program, tuning_budget const& budget) {
  return tune(space_of(program), budget);
}

tuning_result tuner::tune_alternatives(std::vector<alternative> all, tuning_budget const& budget,
                                       numerics const& allowed) {
  std::scoped_lock const lock(*one_at_a_time_);
  detail::session_clock const clock(options_.clock);
  detail::budget_meter meter(budget, 1, clock);
  detail::learner model(options_.model, options_.executor, model_knows_);
  return detail::alternatives_session(std::move(all), allowed, options_, *backend_, model, meter).run();
}

namespace detail {

inline void check_calls(tuning_budget const& budget, std::size_t workloads) {
  if (!budget.calls.empty() && budget.calls.size() != workloads)
    throw argument_error("tune_all: calls are given for " + std::to_string(budget.calls.size()) + " of " +
                         std::to_string(workloads) + " workloads");
}

/// Returns the unfinished session with the highest expected gain; null if all are over.
inline tuning_session* most_promising(std::vector<std::unique_ptr<tuning_session>> const& sessions) {
  tuning_session* chosen = nullptr;
  for (auto const& s : sessions)
    if (!s->over() && (!chosen || s->expected_gain() > chosen->expected_gain())) chosen = s.get();
  return chosen;
}

}  // namespace detail

std::vector<tuning_result> tuner::tune_all(std::vector<space> const& spaces, tuning_budget const& budget) {
  detail::check_calls(budget, spaces.size());
  std::scoped_lock const lock(*one_at_a_time_);
  detail::session_clock const clock(options_.clock);
  detail::budget_meter meter(budget, spaces.size(), clock);
  detail::learner model(options_.model, options_.executor, model_knows_);
  std::vector<std::unique_ptr<detail::tuning_session>> sessions;
  for (auto const& s : spaces) {
    auto search = spaces.size() == 1 ? options_.search : options_.search.another();
    auto const task = static_cast<std::int32_t>(sessions.size());
    sessions.push_back(
        std::make_unique<detail::tuning_session>(task, options_, *backend_, std::move(search), model, meter, s));
    sessions.back()->start();
    clock.check();
  }
  while (auto* const next = detail::most_promising(sessions)) {
    next->advance();
    clock.check();
  }
  std::vector<tuning_result> made;
  for (auto const& s : sessions) made.push_back(s->finish());
  return made;
}

namespace detail {

/// Returns the unfinished task with the highest expected gain in all calls; nothing if all are over.
inline std::optional<std::size_t> most_promising(tuning_tasks const& tasks, std::vector<double> const& calls) {
  std::optional<std::size_t> chosen;
  double most = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks.over(i)) continue;
    auto const gain = (calls.empty() ? 1 : calls[i]) * tasks.expected_gain(i);
    if (!chosen || gain > most) chosen = i, most = gain;
  }
  return chosen;
}

}  // namespace detail

std::vector<tuning_result> tuner::tune_all_alternatives(std::vector<std::vector<alternative>> all,
                                                        tuning_budget const& budget, numerics const& allowed) {
  constexpr double start_share = 0.5;  // of the time, for first kernels of alternatives
  detail::check_calls(budget, all.size());
  task_limits limits{budget, 0, budget.time.count() * start_share};
  for (auto const& computes : all) limits.computes += computes.size();
  tuning_tasks tasks(*this, limits);
  for (auto& computes : all) tasks.add(std::move(computes), allowed);
  while (auto const next = detail::most_promising(tasks, budget.calls)) tasks.advance(*next);
  std::vector<tuning_result> made;
  for (std::size_t i = 0; i < tasks.size(); ++i) made.push_back(tasks.finish(i));
  return made;
}

}}  // namespace ttune::v0
