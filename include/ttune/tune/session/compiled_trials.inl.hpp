// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/tune/session/compiled_trials.hpp"

namespace ttune { inline namespace v0 { namespace detail {

trial compiled_trials::first(compiled_candidate seed) {
  runner_ = make_runner(options_.worker, work_.signature(), options_.measuring, options_.stop);
  trial made{std::move(seed.chosen), runner_->set_reference(*seed.image, trial_limits{}), std::move(seed.image)};
  made.result.compile_seconds = seed.seconds;
  return made;
}

std::size_t compiled_trials::width() const noexcept {
  auto const workers = runner_ ? runner_->width() : 1;
  return workers == 1 ? 1 : 2 * workers;
}

/// Returns the trial of a candidate that is refused.
inline trial refused_trial(compiled_candidate from) {
  trial made{std::move(from.chosen), {}};
  made.result.status = trial_status::compile_failed;
  made.result.message = std::move(from.diagnostics);
  made.result.compile_seconds = from.seconds;
  return made;
}

std::vector<trial> compiled_trials::run(std::vector<compiled_candidate> batch, trial_limits const& limits) {
  std::size_t begun = 0;
  for (auto const& c : batch) {
    if (begun > 0 && options_.stop.stop_requested()) break;
    if (!c.refused) runner_->submit(*c.image, limits);
    ++begun;
  }
  auto results = runner_->collect();
  std::vector<trial> made;
  auto result = results.begin();
  for (std::size_t i = 0; i < begun; ++i) {
    auto& c = batch[i];
    if (c.refused) {
      made.push_back(refused_trial(std::move(c)));
      continue;
    }
    auto& t = made.emplace_back(trial{std::move(c.chosen), std::move(*result++), std::move(c.image)});
    t.result.compile_seconds = c.seconds;
  }
  return made;
}

std::vector<std::uint8_t> compiled_trials::operand_bytes(std::size_t operand) {
  return runner_ ? runner_->operand_bytes(operand) : std::vector<std::uint8_t>();
}

comparison compiled_trials::compare(trial const& a, trial const& b, std::int32_t pairs) {
  return runner_->compare(*a.image, *b.image, pairs);
}

}}}  // namespace ttune::v0::detail
