// SPDX-License-Identifier: Apache-2.0
// Chains, temperatures, and the list of the best.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ttune/search/annealing.hpp"
#include "ttune/search/batch_selection.inl.hpp"
#include "ttune/search/candidate_ranking.inl.hpp"
#include "ttune/search/search.inl.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

annealing::annealing(annealing_options options) : options_(options), plan_(options.exploration) {
  auto const require = [](bool condition, char const* what) {
    if (!condition) throw argument_error(std::string("annealing: ") + what);
  };
  require(options.chains >= 1 && options.steps >= 1, "there must be a chain and a step");
  require(options.cold > 0 && options.hot >= options.cold, "temperatures fall from hot to cold, both above 0");
  require(options.taste.pool >= 1, "a pool holds at least a batch");
}

void annealing::start(sampler const& space, std::uint64_t seed) {
  space_ = &space;
  random_ = rng(seed);
  plan_ = exploration_plan(options_.exploration);
  points_.clear();
  last_ = {};
}

/// Starts a round: the first chains take the best measured configurations, the others stay where they were, or start at
/// random.
void annealing::place_chains(search_request const& request, detail::candidate_ranking& best) {
  auto const chains = static_cast<std::size_t>(options_.chains);
  bool const first = points_.empty();
  points_.resize(chains);
  auto const known =
      std::min(request.incumbents.size(), static_cast<std::size_t>(options_.from_best * static_cast<double>(chains)));
  for (std::size_t i = 0; i < chains; ++i) {
    if (i < known && space_->valid(request.incumbents[i].chosen)) points_[i] = request.incumbents[i].chosen;
    else if (first) space_->draw(random_, points_[i]);
  }
  best.score(points_, scores_);
  chain_best_ = scores_;
  stuck_.assign(chains, 0);
}

double annealing::temperature_at(int step, double spread) const {
  auto const progress = options_.steps > 1 ? static_cast<double>(step) / (options_.steps - 1) : 1;
  switch (options_.schedule) {
    case annealing_options::cooling::constant: return spread * options_.hot;
    case annealing_options::cooling::linear: return spread * (options_.hot + (options_.cold - options_.hot) * progress);
    case annealing_options::cooling::geometric:
      return spread * options_.hot * std::pow(options_.cold / options_.hot, progress);
    case annealing_options::cooling::adaptive: break;
  }
  return adaptive_temperature_;
}

/// Restarts a chain, half of the times at one of the best measured configurations, otherwise at a random one.
void annealing::restart(std::size_t chain, search_request const& request) {
  auto const& known = request.incumbents;
  if (!known.empty() && random_.chance(0.5)) {
    auto const& from = known[random_.below(std::min<std::size_t>(known.size(), 16))].chosen;
    if (space_->valid(from)) {
      points_[chain] = from;
      space_->shift(points_[chain], random_);
      return;
    }
  }
  space_->draw(random_, points_[chain]);
}

/// Makes one move of each chain.
void annealing::step(search_request const& request, double temperature, detail::candidate_ranking& best) {
  auto const chains = points_.size();
  proposals_.resize(chains);
  for (std::size_t i = 0; i < chains; ++i) {
    bool const again = options_.restart_after > 0 && stuck_[i] >= options_.restart_after;
    if (again) restart(i, request);
    proposals_[i].choices = points_[i].choices;
    if (again) {
      scores_[i] = chain_best_[i] = std::numeric_limits<float>::lowest();
      stuck_[i] = 0;
    } else if (random_.chance(options_.local_moves)) {
      space_->shift(proposals_[i], random_);
    } else {
      space_->mutate(proposals_[i], random_);
    }
  }
  best.score(proposals_, proposal_scores_);
  accepted_ = 0;
  for (std::size_t i = 0; i < chains; ++i) {
    auto const now = proposal_scores_[i];
    auto const gain = static_cast<double>(now) - static_cast<double>(scores_[i]);
    ++stuck_[i];
    if (gain < 0 && !(random_.uniform() < std::exp(gain / temperature))) continue;
    ++accepted_;
    std::swap(points_[i], proposals_[i]);
    scores_[i] = now;
    if (now <= chain_best_[i]) continue;
    chain_best_[i] = now;
    stuck_[i] = 0;
  }
}

void annealing::anneal(search_request const& request, detail::candidate_ranking& best) {
  std::vector<configuration> sample(points_.empty() ? 0 : 128);
  place_chains(request, best);
  for (auto& c : sample) space_->draw(random_, c);  // the states of continued chains are not a random sample of scores
  if (sample.empty()) sample = points_;
  std::vector<float> sample_scores;
  best.score(sample, sample_scores);
  spread_ = detail::spread_of(sample_scores);
  adaptive_temperature_ = spread_ * options_.hot;
  std::size_t moves = 0, accepted = 0;
  int unchanged = 0;
  for (last_.steps = 0; last_.steps < options_.steps; ++last_.steps) {
    if (options_.patience > 0 && unchanged >= options_.patience) break;
    auto const before = best.changes();
    step(request, temperature_at(last_.steps, spread_), best);
    unchanged = best.changes() == before ? unchanged + 1 : 0;
    moves += points_.size();
    accepted += accepted_;
    auto const progress = static_cast<double>(last_.steps) / options_.steps;
    auto const wanted = 0.5 * std::pow(0.04, progress);
    adaptive_temperature_ *=
        static_cast<double>(accepted_) > wanted * static_cast<double>(points_.size()) ? 0.95 : 1.05;
  }
  last_.acceptance = moves > 0 ? static_cast<double>(accepted) / static_cast<double>(moves) : 0;
}

void annealing::score_all(detail::candidate_ranking& best) {
  constexpr std::size_t chunk = 4096;
  auto const n = static_cast<std::uint64_t>(space_->size().count);
  std::vector<configuration> batch;
  std::vector<float> scores;
  if (options_.taste.apart > 0) {
    batch.resize(128);
    for (auto& c : batch) space_->draw(random_, c);
    best.score(batch, scores);
    spread_ = detail::spread_of(scores);
  }
  for (std::uint64_t i = 0; i < n;) {
    batch.clear();
    for (; i < n && batch.size() < chunk; ++i) batch.push_back(space_->unrank(i));
    best.score(batch, scores);
  }
}

std::vector<configuration> annealing::propose(search_request const& request) {
  configuration_set taken;
  last_ = {};
  if (space_->empty()) return {};
  if (!request.score) {
    (void)plan_.next(request.batch);
    return draw_unvisited(*space_, random_, request.visited, taken, request.batch);
  }
  auto const slots = plan_.next(request.batch);
  auto const wanted = static_cast<std::size_t>(std::count(slots.begin(), slots.end(), false));
  detail::candidate_ranking best(request, options_.taste, wanted, random_);
  auto const& size = space_->size();
  auto const round = static_cast<std::uint64_t>(options_.chains) * static_cast<std::uint64_t>(options_.steps);
  bool const small = size.exact && size.count <= std::max(round, options_.whole_space);
  if (options_.score_all && small) score_all(best);
  else anneal(request, best);
  auto picked = best.take(spread_);
  last_.best = best.best();
  last_.evaluations = best.evaluations();
  taken.insert(picked.begin(), picked.end());
  auto fresh = draw_unvisited(*space_, random_, request.visited, taken, request.batch - picked.size());
  return detail::mix_batch(slots, std::move(picked), std::move(fresh));
}

}}  // namespace ttune::v0
