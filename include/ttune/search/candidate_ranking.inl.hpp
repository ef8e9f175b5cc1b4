// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ttune/search/batch_selection.inl.hpp"
#include "ttune/search/candidate_ranking.hpp"

namespace ttune { inline namespace v0 { namespace detail {

candidate_ranking::candidate_ranking(search_request const& request, diversity_policy const& taste, std::size_t wanted,
                                     rng& random)
    : request_(request), taste_(taste), wanted_(wanted), single_(taste.pool_for(wanted), request.visited) {
  if (!request.opinions || request.opinions->count == 0 || wanted == 0) return;
  constexpr std::size_t spare = 8;  // the candidates that other opinions take first
  std::vector<std::size_t> order(request.opinions->count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span(order), random);
  order.resize(std::min(order.size(), wanted));
  auto const most = (wanted + order.size() - 1) / order.size() + spare;
  for (auto const k : order) listeners_.push_back({k, random(), best_list(most, request.visited)});
}

void candidate_ranking::replace_broken(std::span<float> scores) const {
  float worst = std::numeric_limits<float>::infinity();
  for (auto const s : scores)
    if (std::isfinite(s)) worst = std::min(worst, s);
  for (auto& s : scores)
    if (!std::isfinite(s)) s = std::isfinite(worst) ? worst : 0;
}

void candidate_ranking::score(std::span<configuration const> batch, std::vector<float>& scores) {
  scores.resize(batch.size());
  if (batch.empty()) return;
  evaluations_ += batch.size();
  if (listeners_.empty()) {
    request_.score(batch, scores);
    replace_broken(scores);
    for (std::size_t i = 0; i < batch.size(); ++i) single_.offer(batch[i], scores[i]);
    return;
  }
  auto const count = request_.opinions->count;
  each_.resize(batch.size() * count);
  request_.opinions->score(batch, each_);
  replace_broken(each_);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto const of_one = std::span<float const>(each_).subspan(i * count, count);
    scores[i] = of_one[listeners_[i % listeners_.size()].opinion];
    offer(batch[i], of_one);
  }
}

void candidate_ranking::offer(configuration const& c, std::span<float const> opinions) {
  auto const hash = hash_of(c);
  for (auto& l : listeners_) {
    auto const score = opinions[l.opinion];
    if (l.best.wants(score, 0)) l.best.offer(c, score, rng(hash ^ l.salt)());
  }
}

std::size_t candidate_ranking::changes() const noexcept {
  auto sum = single_.changes();
  for (auto const& l : listeners_) sum += l.best.changes();
  return sum;
}

std::vector<configuration> candidate_ranking::take(double spread) {
  if (!listeners_.empty()) return take_in_turn();
  std::vector<configuration> candidates, picked;
  std::vector<float> scores;
  single_.take(candidates, scores);
  best_ = scores.empty() ? 0 : scores.front();
  for (auto const i : taste_.select(candidates, scores, wanted_, spread)) picked.push_back(std::move(candidates[i]));
  return picked;
}

/// Lets one opinion after the other take its best candidate that no other has taken.
std::vector<configuration> candidate_ranking::take_in_turn() {
  struct ballot {
    std::vector<configuration> candidates;
    std::vector<float> scores;
    std::size_t next = 0;
  };
  std::vector<ballot> ballots(listeners_.size());
  for (std::size_t k = 0; k < listeners_.size(); ++k) {
    auto& b = ballots[k];
    listeners_[k].best.take(b.candidates, b.scores);
    if (!b.scores.empty()) best_ = k == 0 ? b.scores.front() : std::max(best_, b.scores.front());
  }
  std::vector<configuration> picked;
  configuration_set taken;
  for (bool more = true; more && picked.size() < wanted_;) {
    more = false;
    for (auto& b : ballots) {
      while (b.next < b.candidates.size() && taken.contains(b.candidates[b.next])) ++b.next;
      if (b.next == b.candidates.size() || picked.size() == wanted_) continue;
      taken.insert(b.candidates[b.next]);
      picked.push_back(std::move(b.candidates[b.next++]));
      more = true;
    }
  }
  return picked;
}

}}}  // namespace ttune::v0::detail
