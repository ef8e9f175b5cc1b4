// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/runtime/measure/oracle_check.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/session/candidate.hpp"
#include "ttune/tune/session/compiled_trials.hpp"

namespace ttune { inline namespace v0 { namespace detail {

void compiled_trials::prepare(std::span<configuration const> batch) {
  auto const timed = timing(tuning_phase::compile);
  auto made = compiler_.compile(
      batch, [this](std::uint64_t text) { return known_.contains(text); },
      [this] { return !budget_.exhausted().empty(); });
  prepared_.clear();
  for (std::size_t i = 0; i < batch.size(); ++i) prepared_.insert_or_assign(batch[i], std::move(made[i]));
}

/// Returns the prepared candidate, or compiles it now.
compiled_candidate compiled_trials::compiled(configuration const& chosen) {
  if (auto ready = prepared_.extract(chosen)) {
    auto const& one = ready.mapped();
    if (one.made || known_.contains(one.text)) return std::move(ready.mapped());
  }
  auto const timed = timing(tuning_phase::compile);
  auto made = compiler_.compile(
      std::span(&chosen, 1), [this](std::uint64_t text) { return known_.contains(text); }, [] { return false; });
  return std::move(made.front());
}

std::optional<kernel_image> compiled_trials::image_of(configuration const& chosen) {
  auto const timed = timing(tuning_phase::compile);
  return compile_candidate(work_, backend_, chosen);
}

trial compiled_trials::first(configuration const& seed, double check_seconds) {
  if (auto const there = backend_.availability(); !there)
    throw backend_error(backend_.name() + " cannot be used: " + there.reason);
  auto const the_first = backend_.name() + ": the first kernel of " + report_.workload;
  auto one = compiled(seed);
  auto& made = *one.made;
  if (!made.image) throw refused_kernel(the_first + " cannot be compiled: " + made.diagnostics);
  if (budget_.budget().trials == 0) return {seed, {}, std::move(made.image)};
  auto const timed = timing(tuning_phase::measure);
  measurer_ = make_runner(
      options_.worker, work_.signature(),
      runner_options{options_.seed, options_.objective, options_.executor->threads(), 2 * backend_.target().l3_bytes},
      budget_.budget().stop);
  report_.isolated = measurer_->isolated();
  trial t{seed, measurer_->set_reference(*made.image, trial_limits{}), std::move(made.image)};
  if (!t.result.ok())
    throw backend_error(the_first + " does not run: " + name_of(t.result.status) + ": " + t.result.message);
  if (check_seconds > 0) check_result(check_seconds);
  t.result.compile_seconds = made.seconds;
  known_.emplace(one.text, t.result);
  return t;
}

/// Checks the result of the first kernel, at samples of the full size.
void compiled_trials::check_result(double seconds) {
  oracle_check_options how;
  how.seconds = std::min(how.seconds, seconds);
  how.seed = options_.seed;
  auto const verdict = check_against_oracle(
      *work_.space().program, work_.signature(), [this](std::size_t i) { return measurer_->operand_bytes(i); }, how);
  report_.checked_elements = verdict.elements;
  if (!verdict.difference.empty())
    throw backend_error(backend_.name() + ": the first kernel of " + report_.workload +
                        " is wrong: " + verdict.difference + "; please report it with the operator");
}

trial compiled_trials::measure(configuration const& chosen, trial_limits const& limits) {
  return std::move(measure_all(std::span(&chosen, 1), limits).front());
}

std::size_t compiled_trials::width() const noexcept {
  auto const workers = measurer_ ? measurer_->width() : 1;
  return workers == 1 ? 1 : 2 * workers;
}

std::vector<trial> compiled_trials::measure_all(std::span<configuration const> chosen, trial_limits const& limits) {
  std::vector<trial> made;
  std::vector<std::uint64_t> texts;
  std::vector<std::size_t> running;
  for (auto const& c : chosen) {
    if (!made.empty() && budget_.stopped()) break;
    auto& t = made.emplace_back(trial{c, {}});
    auto one = compiled(c);
    texts.push_back(one.text);
    if (!known_.emplace(one.text, measurement()).second) {  // the result may come later
      t.what = trial::kind::same;
      continue;
    }
    t.result.compile_seconds = one.made->seconds;
    if (one.made->image) {
      auto const timed = timing(tuning_phase::measure);
      measurer_->submit(*one.made->image, limits);
      running.push_back(made.size() - 1);
      t.image = std::move(one.made->image);
    } else {
      t.result.status = trial_status::compile_failed;
      t.result.message = one.made->diagnostics;
    }
  }
  auto results = [&] {
    auto const timed = timing(tuning_phase::measure);
    return measurer_->collect();
  }();
  for (std::size_t i = 0; i < running.size(); ++i) {
    auto& t = made[running[i]];
    auto const seconds = t.result.compile_seconds;
    t.result = std::move(results[i]);
    t.result.compile_seconds = seconds;
  }
  for (std::size_t i = 0; i < made.size(); ++i)
    if (auto& t = made[i]; t.what == trial::kind::same) t.result = known_.at(texts[i]);
    else known_.at(texts[i]) = t.result;
  return made;
}

std::vector<std::uint8_t> compiled_trials::operand_bytes(std::size_t operand) {
  return measurer_ ? measurer_->operand_bytes(operand) : std::vector<std::uint8_t>();
}

comparison compiled_trials::compare(trial const& a, trial const& b, std::int32_t pairs) {
  auto const timed = timing(tuning_phase::measure);
  return measurer_->compare(*a.image, *b.image, pairs);
}

}}}  // namespace ttune::v0::detail
