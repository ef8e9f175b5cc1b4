// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <mutex>
#include <utility>

#include "ttune/tune/one_at_a_time.hpp"
#include "ttune/tune/session/alternatives_session.hpp"
#include "ttune/tune/tuner.hpp"
#include "ttune/tune/tuning_tasks.hpp"

namespace ttune { inline namespace v0 {

struct tuning_tasks::parts {
  std::scoped_lock<detail::one_at_a_time> one_at_a_time;
  tuner_options const& options;
  ttune::backend& compiler;
  tuning_budget budget;
  detail::session_clock clock;
  detail::budget_meter meter;
  detail::learner model;
  std::vector<std::unique_ptr<detail::alternatives_session>> sessions;  ///< by task; null for those that ended
  std::int32_t computes = 0;                                            ///< tasks of the model so far

  parts(detail::one_at_a_time& lock, tuner_options const& with, ttune::backend& by, bool model_knows,
        task_limits const& limits)
      : one_at_a_time(lock),
        options(with),
        compiler(by),
        budget(limits.budget),
        clock(with.clock),
        meter(budget, std::max<std::size_t>(1, limits.computes), clock),
        model(with.model, with.executor, model_knows) {
    budget.calls.clear();
    meter.end_starts_at(limits.last_start);
    if (limits.asked) meter.ask(*limits.asked);
  }

  [[nodiscard]] std::unique_ptr<detail::alternatives_session> make(std::vector<alternative> all,
                                                                   numerics const& allowed) {
    auto const first = std::exchange(computes, computes + static_cast<std::int32_t>(all.size()));
    return std::make_unique<detail::alternatives_session>(std::move(all), allowed, options, compiler, model, meter,
                                                          first);
  }
  [[nodiscard]] detail::alternatives_session& of(std::size_t task) const { return *sessions[task]; }
};

tuning_tasks::tuning_tasks(tuner& by, task_limits const& limits)
    : parts_(new parts(*by.one_at_a_time_, by.options_, *by.backend_, by.model_knows_, limits)) {}
tuning_tasks::tuning_tasks(tuning_tasks&&) noexcept = default;
tuning_tasks& tuning_tasks::operator=(tuning_tasks&&) noexcept = default;
tuning_tasks::~tuning_tasks() = default;

std::size_t tuning_tasks::add(std::vector<alternative> all, numerics const& allowed) {
  auto made = parts_->make(std::move(all), allowed);
  if (!made->find_recorded()) made->start();
  parts_->clock.check();
  parts_->sessions.push_back(std::move(made));
  return parts_->sessions.size() - 1;
}

std::size_t tuning_tasks::add_each(std::vector<alternative> all, numerics const& allowed) {
  auto made = parts_->make(std::move(all), allowed);
  made->start();
  parts_->clock.check();
  parts_->sessions.push_back(std::move(made));
  return parts_->sessions.size() - 1;
}

bool tuning_tasks::add_recorded(std::vector<alternative> all, numerics const& allowed) {
  auto made = parts_->make(std::move(all), allowed);
  if (!made->find_recorded()) return false;
  parts_->sessions.push_back(std::move(made));
  return true;
}

bool tuning_tasks::over(std::size_t task) const { return !exhausted().empty() || parts_->of(task).over(); }

void tuning_tasks::advance(std::size_t task) {
  parts_->of(task).advance();
  parts_->clock.check();
}

std::optional<tuning_result> tuning_tasks::improvement(std::size_t task, double least_gain) {
  auto made = parts_->of(task).improvement(least_gain);
  parts_->clock.check();
  return made;
}

tuning_result tuning_tasks::finish(std::size_t task) {
  auto const ended = std::exchange(parts_->sessions[task], nullptr);
  return ended->finish();
}

ended_compute tuning_tasks::finish_at_once(std::size_t task) {
  auto const ended = std::exchange(parts_->sessions[task], nullptr);
  return ended->finish_at_once();
}

std::vector<ended_compute> tuning_tasks::finish_each(std::size_t task) {
  auto const ended = std::exchange(parts_->sessions[task], nullptr);
  return ended->finish_each();
}

void tuning_tasks::set_price(std::size_t task, double seconds_per_byte) {
  parts_->of(task).set_price(seconds_per_byte);
}

std::vector<compute_state> tuning_tasks::states(std::size_t task) const { return parts_->of(task).states(); }
double tuning_tasks::best_seconds(std::size_t task) const { return parts_->of(task).best_seconds(); }
double tuning_tasks::expected_gain(std::size_t task) const { return parts_->of(task).expected_gain(); }
double tuning_tasks::seconds_spent(std::size_t task) const { return parts_->of(task).seconds_spent(); }
double tuning_tasks::flops(std::size_t task) const { return parts_->of(task).flops(); }
std::int64_t tuning_tasks::trials(std::size_t task) const { return parts_->of(task).trials(); }

std::size_t tuning_tasks::size() const noexcept { return parts_->sessions.size(); }
std::int64_t tuning_tasks::trials() const noexcept { return parts_->meter.trials(); }
double tuning_tasks::elapsed() const { return parts_->clock.elapsed(); }
std::string tuning_tasks::exhausted() const { return parts_->meter.exhausted(); }
bool tuning_tasks::late_to_start() const { return parts_->meter.late_to_start(); }

}}  // namespace ttune::v0
