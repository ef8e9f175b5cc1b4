// SPDX-License-Identifier: Apache-2.0
// Selection among the listed candidates.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ttune/search/batch_selection.hpp"
#include "ttune/search/candidate_ranking.hpp"
#include "ttune/tune/recorded/recorded_pool.hpp"

namespace ttune { inline namespace v0 {

recorded_pool::recorded_pool(std::vector<configuration> candidates, recorded_pool_options options)
    : candidates_(std::move(candidates)), options_(options), plan_(options.exploration) {}

void recorded_pool::start(sampler const&, std::uint64_t seed) {
  random_ = rng(seed);
  plan_ = exploration_plan(options_.exploration);
}

std::vector<configuration> recorded_pool::draw_advised(std::vector<configuration> all, std::span<float const> scores,
                                                       std::size_t count) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  auto const share = static_cast<std::size_t>(options_.advised * static_cast<double>(all.size()));
  auto const best = std::min(all.size(), std::max(share, count));
  shuffle(std::span(order).first(best), random_);
  auto const from_best = count - count / 4;
  shuffle(std::span(order).subspan(from_best), random_);
  std::vector<configuration> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(std::move(all[order[i]]));
  return made;
}

std::vector<configuration> recorded_pool::follow_opinions(search_request const& request,
                                                          std::vector<configuration> const& left, std::size_t count) {
  constexpr std::size_t chunk = 4096;  // keeps the scores of all opinions small
  auto const slots = plan_.next(count);
  auto const wanted = static_cast<std::size_t>(std::ranges::count(slots, false));
  detail::candidate_ranking best(request, {}, wanted, random_);
  std::vector<float> scores;
  for (std::size_t i = 0; i < left.size(); i += chunk)
    best.score(std::span(left).subspan(i, std::min(chunk, left.size() - i)), scores);
  auto picked = best.take(1);
  configuration_set const taken(picked.begin(), picked.end());
  std::vector<configuration> fresh;  // `left` is in random order
  for (std::size_t i = 0; i < left.size() && fresh.size() + picked.size() < count; ++i)
    if (!taken.contains(left[i])) fresh.push_back(left[i]);
  return detail::mix_batch(slots, std::move(picked), std::move(fresh));
}

std::vector<configuration> recorded_pool::propose(search_request const& request) {
  std::vector<configuration> left;
  for (auto const& c : candidates_)
    if (!request.visited.contains(c)) left.push_back(c);
  if (left.empty()) return left;  // models are not called with an empty batch
  shuffle(std::span(left), random_);
  auto const count = std::min(request.batch, left.size());
  if (!request.score) {
    left.resize(count);
    return left;
  }
  if (request.opinions) return follow_opinions(request, left, count);
  std::vector<float> scores(left.size());
  request.score(left, scores);
  std::vector<std::size_t> best(left.size());
  std::iota(best.begin(), best.end(), std::size_t{0});
  auto const pool = std::min(left.size(), options_.taste.pool_for(count));
  std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(pool), best.end(),
                    [&](auto a, auto b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  if (pool > count) {
    std::vector<configuration> pooled;
    std::vector<float> pooled_scores;
    for (std::size_t i = 0; i < pool; ++i) {
      pooled.push_back(left[best[i]]);
      pooled_scores.push_back(scores[best[i]]);
    }
    auto const order = best;
    auto const picked = options_.taste.select(pooled, pooled_scores, count, detail::spread_of(scores));
    for (std::size_t i = 0; i < picked.size(); ++i) best[i] = order[picked[i]];
  }
  if (request.incumbents.empty() && options_.advised > 0) return draw_advised(std::move(left), scores, count);
  std::vector<configuration> made;
  std::vector<bool> taken(left.size(), false);
  auto next_best = best.begin();
  auto const slots = plan_.next(count);
  for (bool const is_random : slots) {
    auto at = is_random ? static_cast<std::size_t>(random_.below(left.size())) : *next_best;
    while (taken[at]) at = is_random ? (at + 1) % left.size() : *++next_best;
    taken[at] = true;
    made.push_back(left[at]);
  }
  return made;
}

}}  // namespace ttune::v0
