// SPDX-License-Identifier: Apache-2.0
// Genetic search.
#pragma once

#include <algorithm>

#include "ttune/search/genetic.hpp"
#include "ttune/search/search.inl.hpp"

namespace ttune { inline namespace v0 {

void genetic_search::start(sampler const& space, std::uint64_t seed) {
  space_ = &space;
  random_ = rng(seed);
}

configuration genetic_search::child(std::span<observation const> parents) {
  auto const by_rank = [&]() -> configuration const& {  // the better of two draws, with probability one half
    auto rank = random_.below(parents.size());
    if (random_.chance(0.5)) rank = std::min(rank, random_.below(parents.size()));
    return parents[rank].chosen;
  };
  auto const& mother = by_rank();
  auto const& father = by_rank();
  auto c = space_->crossover(mother, father, random_);
  if (c == mother || c == father || random_.chance(options_.mutation)) {
    if (random_.chance(0.5)) space_->mutate(c, random_);
    else space_->shift(c, random_);
  }
  return c;
}

std::vector<configuration> genetic_search::propose(search_request const& request) {
  std::vector<observation> parents;
  for (auto const& known : request.incumbents.first(std::min(request.incumbents.size(), options_.population)))
    if (space_->valid(known.chosen)) parents.push_back(known);
  std::vector<configuration> batch;
  configuration_set taken;
  constexpr std::size_t enough = 8;
  for (std::size_t tries = 0; parents.size() >= enough && batch.size() < request.batch && tries < 20 * request.batch;
       ++tries) {
    auto c = random_.chance(options_.exploration) ? space_->draw(random_) : child(parents);
    if (!request.visited.contains(c) && taken.insert(c).second) batch.push_back(std::move(c));
  }
  for (auto& c : draw_unvisited(*space_, random_, request.visited, taken, request.batch - batch.size()))
    batch.push_back(std::move(c));
  return batch;
}

}}  // namespace ttune::v0
