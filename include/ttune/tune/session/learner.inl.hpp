// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "ttune/tune/scoring.hpp"
#include "ttune/tune/session/learner.hpp"
#include "ttune/tune/session/warm_started_model.hpp"

namespace ttune { inline namespace v0 { namespace detail {

void learner::inform(shared_store const& records, record_key const& measured_as) {
  if (!std::exchange(informed_, true)) model_ = warm_started_model(model_, records, measured_as);
}

void learner::add(std::int32_t task, workload const& of, configuration const& chosen, double seconds) {
  of.featurise(std::span(&chosen, 1), features_);
  outcomes_.push_back({task, seconds});
  auto const at = static_cast<std::size_t>(task);
  if (at >= best_seconds_.size()) best_seconds_.resize(at + 1, std::numeric_limits<double>::infinity());
  if (seconds > 0) best_seconds_[at] = std::min(best_seconds_[at], seconds);
}

void learner::fit() {
  std::vector<model_target> targets;
  for (auto const& o : outcomes_) {
    auto const speed = o.seconds > 0 ? best_seconds_[static_cast<std::size_t>(o.task)] / o.seconds : 0;
    targets.push_back({static_cast<float>(speed), o.seconds <= 0, o.task});
  }
  if (targets.empty()) return;
  auto const columns = features_.size() / outcomes_.size();
  has_learned_ = true;
  validation_ = model_->fit({features_.data(), outcomes_.size(), columns}, targets).rank_correlation;
}

void learner::sample(std::int32_t task, std::size_t most, transfer_sample& to) const {
  std::vector<std::size_t> trials;
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    if (outcomes_[i].task == task) trials.push_back(i);
  std::ranges::sort(
      trials, [&](auto a, auto b) { return std::pair(outcomes_[a].seconds, a) < std::pair(outcomes_[b].seconds, b); });
  auto const count = std::min(most, trials.size());
  for (std::size_t k = 0; k < count; ++k) {
    auto const i = trials[k * trials.size() / count];
    auto const seconds = outcomes_[i].seconds;
    auto const* const row = features_.data() + i * to.columns;
    to.rows.insert(to.rows.end(), row, row + to.columns);
    to.speeds.push_back(seconds > 0 ? static_cast<float>(best_seconds_[static_cast<std::size_t>(task)] / seconds) : 0);
  }
}

batch_scorer learner::scorer(workload const& of) {
  if (!model_->fitted()) return {};
  return [this, &of](std::span<configuration const> candidates, std::span<float> scores) {
    score_candidates(of, *model_, *executor_, candidates, scores);
  };
}

opinion_scorer learner::opinions(workload const& of) {
  auto const count = model_->opinions();
  if (!has_learned_ || !model_->fitted() || count < 2) return {};
  return {count, [this, &of](std::span<configuration const> candidates, std::span<float> scores) {
            score_candidates_by_each(of, *model_, *executor_, candidates, scores);
          }};
}

}}}  // namespace ttune::v0::detail
