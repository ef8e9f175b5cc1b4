// SPDX-License-Identifier: Apache-2.0
// Exploration plan and greedy selection.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "ttune/search/batch_selection.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

exploration_plan::exploration_plan(double share) : share_(share) {
  if (!(share >= 0 && share <= 1))
    throw argument_error("a share of random trials lies in 0 … 1, not at " + std::to_string(share));
}

std::vector<bool> exploration_plan::next(std::size_t batch) {
  auto const random_among = [this](std::size_t slots) {
    // The 1e-9 makes .05 × 20 give 1.
    return static_cast<std::size_t>(std::floor(share_ * static_cast<double>(slots) + 1e-9));
  };
  std::vector<bool> slots;
  for (std::size_t i = 0; i < batch; ++i, ++given_) slots.push_back(random_among(given_ + 1) > random_among(given_));
  return slots;
}

namespace detail {

double spread_of(std::span<float const> scores) {
  double sum = 0, squares = 0;
  for (double const s : scores) {
    sum += s;
    squares += s * s;
  }
  auto const n = static_cast<double>(scores.size());
  auto const variance = n > 0 ? squares / n - (sum / n) * (sum / n) : 0;
  return variance > 1e-24 ? std::sqrt(variance) : 1;
}

}  // namespace detail

std::vector<std::size_t> select_diverse(std::span<configuration const> candidates, std::span<float const> scores,
                                        std::size_t count, double diversity) {
  auto const spread = detail::spread_of(scores);
  auto const knobs = candidates.empty() ? 0 : candidates[0].choices.size();
  std::set<std::pair<std::size_t, std::int32_t>> covered;
  std::vector<std::size_t> picked;
  auto const gain = [&](std::size_t i) {
    std::size_t fresh = 0;
    for (std::size_t k = 0; k < knobs && diversity > 0; ++k)
      fresh += covered.contains({k, candidates[i].choices[k]}) ? 0U : 1U;
    return static_cast<double>(scores[i]) / spread +
           diversity * static_cast<double>(fresh) / static_cast<double>(std::max<std::size_t>(knobs, 1));
  };
  // Gains only shrink, so an old gain is an upper bound: only the top of the heap is evaluated again ("lazy greedy").
  std::vector<std::pair<double, std::size_t>> heap;
  auto const later = [](auto const& a, auto const& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  for (std::size_t i = 0; i < candidates.size(); ++i) heap.emplace_back(gain(i), i);
  std::make_heap(heap.begin(), heap.end(), later);
  while (picked.size() < count && !heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    auto& top = heap.back();
    auto const now = gain(top.second);
    if (now < top.first) {
      top.first = now;
      std::push_heap(heap.begin(), heap.end(), later);
      continue;
    }
    picked.push_back(top.second);
    for (std::size_t k = 0; k < knobs && diversity > 0; ++k) covered.insert({k, candidates[top.second].choices[k]});
    heap.pop_back();
  }
  return picked;
}

std::vector<std::size_t> select_spread(std::span<configuration const> candidates, std::span<float const> scores,
                                       std::size_t count, double penalty, double spread) {
  std::vector<double> gain(scores.begin(), scores.end());
  std::vector<double> nearest(candidates.size(), 0.0);  // similarity to the nearest selected candidate
  std::vector<bool> taken(candidates.size(), false);
  std::vector<std::size_t> picked;
  while (picked.size() < std::min(count, candidates.size())) {
    std::size_t best = candidates.size();
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (!taken[i] && (best == candidates.size() || gain[i] > gain[best])) best = i;
    taken[best] = true;
    picked.push_back(best);
    if (!(penalty > 0)) continue;
    auto const& chosen = candidates[best].choices;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      std::size_t same = 0;
      for (std::size_t k = 0; k < chosen.size(); ++k) same += candidates[i].choices[k] == chosen[k] ? 1U : 0U;
      auto const share = static_cast<double>(same) / static_cast<double>(std::max<std::size_t>(chosen.size(), 1));
      if (share * share <= nearest[i]) continue;
      nearest[i] = share * share;
      gain[i] = static_cast<double>(scores[i]) - penalty * spread * nearest[i];
    }
  }
  return picked;
}

}}  // namespace ttune::v0
