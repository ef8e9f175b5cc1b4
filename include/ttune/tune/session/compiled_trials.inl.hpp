// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/runtime/oracle_check.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/session/compiled_trials.hpp"

namespace ttune::inline v0::detail {

TTUNE_INLINE candidate compiled_trials::lower(configuration const& chosen) {
  auto const timed = timing(tuning_phase::compile);
  return make_candidate(work_, chosen);
}

TTUNE_INLINE compile_result compiled_trials::compile(candidate of) {
  if (!of.diagnostics.empty()) return {std::nullopt, of.diagnostics, 0};
  auto const timed = timing(tuning_phase::compile);
  return backend_.compile(of.program, std::move(of.signature));
}

TTUNE_INLINE std::optional<kernel_image> compiled_trials::image_of(configuration const& chosen) {
  return compile(lower(chosen)).image;
}

TTUNE_INLINE trial compiled_trials::first(configuration const& seed, double check_seconds) {
  if (auto const there = backend_.availability(); !there)
    throw backend_error(backend_.name() + " cannot be used: " + there.reason);
  auto const the_first = backend_.name() + ": the first kernel of " + report_.workload;
  auto lowered = lower(seed);
  auto const text = lowered.text;
  auto made = compile(std::move(lowered));
  if (!made.image) throw backend_error(the_first + " cannot be compiled: " + made.diagnostics);
  auto const timed = timing(tuning_phase::measure);
  measurer_.emplace(
      options_.worker, work_.signature(),
      bench_options{options_.seed, options_.objective, options_.executor->threads(), 2 * backend_.target().l3_bytes},
      budget_.budget().stop);
  report_.isolated = measurer_->isolated();
  trial t{seed, measurer_->set_reference(*made.image, trial_limits{}), std::move(made.image)};
  if (!t.result.ok())
    throw backend_error(the_first + " does not run: " + name_of(t.result.status) + ": " + t.result.message);
  check_result(check_seconds);
  t.result.compile_seconds = made.seconds;
  known_.emplace(text, t.result);
  return t;
}

/// Of the first kernel, sampled at full size.
TTUNE_INLINE void compiled_trials::check_result(double seconds) {
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

TTUNE_INLINE trial compiled_trials::measure(configuration const& chosen, trial_limits const& limits) {
  return std::move(measure_all(std::span(&chosen, 1), limits).front());
}

TTUNE_INLINE std::size_t compiled_trials::width() const noexcept {
  auto const workers = measurer_ ? measurer_->width() : 1;
  return workers == 1 ? 1 : 2 * workers;
}

TTUNE_INLINE std::vector<trial> compiled_trials::measure_all(std::span<configuration const> chosen,
                                                             trial_limits const& limits) {
  std::vector<trial> made;
  std::vector<std::uint64_t> texts;
  std::vector<std::size_t> running;
  for (auto const& c : chosen) {
    if (!made.empty() && budget_.stopped()) break;
    auto& t = made.emplace_back(trial{c, {}});
    auto lowered = lower(c);
    texts.push_back(lowered.text);
    if (!known_.emplace(lowered.text, measurement()).second) {  // its result may not be there yet
      t.what = trial::kind::same;
      continue;
    }
    auto image = compile(std::move(lowered));
    t.result.compile_seconds = image.seconds;
    if (image.image) {
      auto const timed = timing(tuning_phase::measure);
      measurer_->submit(*image.image, limits);
      running.push_back(made.size() - 1);
      t.image = std::move(image.image);
    } else {
      t.result.status = trial_status::compile_failed;
      t.result.message = image.diagnostics;
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

TTUNE_INLINE std::vector<std::uint8_t> compiled_trials::operand_bytes(std::size_t operand) {
  return measurer_ ? measurer_->operand_bytes(operand) : std::vector<std::uint8_t>();
}

TTUNE_INLINE comparison compiled_trials::compare(trial const& a, trial const& b, std::int32_t pairs) {
  auto const timed = timing(tuning_phase::measure);
  return measurer_->compare(*a.image, *b.image, pairs);
}

}  // namespace ttune::inline v0::detail
