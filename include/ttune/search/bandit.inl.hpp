// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "ttune/search/bandit.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

bandit_search::bandit_search(std::vector<any_search> arms, bandit_options options) : options_(options) {
  if (arms.empty()) throw argument_error("a bandit needs strategies to choose from");
  for (auto const& a : arms) arms_.push_back(a.another());
}

bandit_search::bandit_search(bandit_search const& other) : search_strategy(other), options_(other.options_) {
  for (auto const& a : other.arms_) arms_.push_back(a.another());
}

void bandit_search::start(sampler const& space, std::uint64_t seed) {
  for (auto& a : arms_) a->start(space, seed++);
  accounts_.assign(arms_.size(), {});
  given_.assign(arms_.size(), 0);
  speeds_.clear();
  owner_.clear();
}

/// Returns the number of slots for each arm.
std::vector<std::size_t> bandit_search::deal(std::size_t batch) const {
  std::vector<std::size_t> slots(arms_.size(), 0);
  auto known = accounts_;
  for (std::size_t i = 0; i < batch; ++i) {
    double all = 1;
    for (auto const& a : known) all += a.trials;
    auto const bound = [&](account const& a) {
      if (a.trials <= 0) return 2.0;
      return a.successes / a.trials + options_.curiosity * std::sqrt(2 * std::log(all) / a.trials) / 4;
    };
    std::size_t best = 0;
    for (std::size_t k = 1; k < known.size(); ++k)
      if (bound(known[k]) > bound(known[best])) best = k;
    ++slots[best];
    auto& a = known[best];  // assumes that the arm's success rate stays the same
    a.successes += a.trials > 0 ? a.successes / a.trials : 0.5;
    ++a.trials;
  }
  return slots;
}

std::vector<configuration> bandit_search::propose(search_request const& request) {
  std::vector<configuration> batch;
  auto visited = request.visited;
  auto const slots = deal(request.batch);
  for (std::size_t k = 0; k < arms_.size() && batch.size() < request.batch; ++k) {
    // The last arm fills what the others left.
    auto const wanted = k + 1 == arms_.size() ? request.batch - batch.size() : slots[k];
    if (wanted == 0) continue;
    for (auto& c : arms_[k]->propose({wanted, visited, request.score, request.incumbents, request.opinions})) {
      owner_[c] = k;
      visited.insert(c);
      batch.push_back(std::move(c));
    }
  }
  return batch;
}

void bandit_search::observe(std::span<observation const> seen) {
  for (auto& a : accounts_) {
    a.trials *= options_.memory;
    a.successes *= options_.memory;
  }
  for (auto const& s : seen) {
    if (!s.failed) speeds_.insert(std::ranges::upper_bound(speeds_, s.speed, std::greater<>{}), s.speed);
    auto const at = owner_.find(s.chosen);
    if (at == owner_.end()) continue;
    auto const among = static_cast<std::size_t>(options_.top * static_cast<double>(speeds_.size()));
    auto& a = accounts_[at->second];
    ++a.trials;
    ++given_[at->second];
    a.successes += !s.failed && s.speed >= speeds_[std::min(among, speeds_.size() - 1)] ? 1 : 0;
  }
  for (auto& a : arms_) a->observe(seen);
}

}}  // namespace ttune::v0
