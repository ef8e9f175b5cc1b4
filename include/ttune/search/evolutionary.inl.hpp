// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ttune/search/batch_selection.inl.hpp"
#include "ttune/search/best_list.hpp"
#include "ttune/search/evolutionary.hpp"
#include "ttune/search/search.inl.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

evolutionary_search::evolutionary_search(evolutionary_options options) : options_(options), plan_(options.exploration) {
  if (options.population < 2 || options.generations < 1)
    throw argument_error("evolutionary: there must be two parents and a generation");
}

void evolutionary_search::start(sampler const& space, std::uint64_t seed) {
  space_ = &space;
  random_ = rng(seed);
  plan_ = exploration_plan(options_.exploration);
}

/// Makes a child. Each parent is the better of two draws by rank.
configuration evolutionary_search::child(std::vector<configuration> const& ranked) {
  auto const parent = [&]() -> configuration const& {
    return ranked[std::min(random_.below(ranked.size()), random_.below(ranked.size()))];
  };
  if (!random_.chance(options_.mutation)) {
    auto const& father = parent();  // in separate statements: the order of evaluation of arguments is unspecified
    auto const& mother = parent();
    return space_->crossover(mother, father, random_);
  }
  auto c = parent();
  if (random_.chance(options_.local_moves)) space_->shift(c, random_);
  else space_->mutate(c, random_);
  return c;
}

std::vector<configuration> evolutionary_search::propose(search_request const& request) {
  configuration_set taken;
  if (space_->empty()) return {};
  auto const slots = plan_.next(request.batch);
  if (!request.score) return draw_unvisited(*space_, random_, request.visited, taken, request.batch);
  std::vector<configuration> now;
  auto const most = static_cast<std::size_t>(options_.from_best * static_cast<double>(options_.population));
  for (auto const& known : request.incumbents.first(std::min(request.incumbents.size(), most)))
    if (space_->valid(known.chosen)) now.push_back(known.chosen);
  while (now.size() < options_.population) now.push_back(space_->draw(random_));
  detail::best_list best(static_cast<std::size_t>(std::ranges::count(slots, false)), request.visited);
  std::vector<float> scores(now.size());
  for (int generation = 0;; ++generation) {
    request.score(now, scores);
    for (auto& s : scores)
      if (!std::isfinite(s)) s = std::numeric_limits<float>::lowest();
    for (std::size_t i = 0; i < now.size(); ++i) best.offer(now[i], scores[i]);
    if (generation == options_.generations) break;
    std::vector<std::size_t> order(now.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](auto a, auto b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
    std::vector<configuration> ranked;
    for (auto const i : order) ranked.push_back(std::move(now[i]));
    now.clear();
    while (now.size() < options_.population) now.push_back(child(ranked));
  }
  std::vector<configuration> picked;
  std::vector<float> picked_scores;
  best.take(picked, picked_scores);
  taken.insert(picked.begin(), picked.end());
  auto fresh = draw_unvisited(*space_, random_, request.visited, taken, request.batch - picked.size());
  return detail::mix_batch(slots, std::move(picked), std::move(fresh));
}

}}  // namespace ttune::v0
