// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>

#include "ttune/search/batch_selection.inl.hpp"
#include "ttune/search/best_list.hpp"
#include "ttune/search/descent.hpp"
#include "ttune/search/search.inl.hpp"

namespace ttune { inline namespace v0 {

void descent::start(sampler const& space, std::uint64_t seed) {
  space_ = &space;
  random_ = rng(seed);
  plan_ = exploration_plan(options_.exploration);
}

std::vector<configuration> descent::propose(search_request const& request) {
  if (space_->empty()) return {};
  auto const slots = plan_.next(request.batch);
  auto const wanted = static_cast<std::size_t>(std::ranges::count(slots, false));
  configuration_set taken;
  std::vector<configuration> near;
  for (std::size_t i = 0; i < request.incumbents.size(); ++i) {
    if (i >= options_.incumbents && near.size() >= wanted) break;
    if (!space_->valid(request.incumbents[i].chosen)) continue;
    auto around = space_->neighbours(request.incumbents[i].chosen);
    shuffle(std::span(around), random_);
    for (auto& c : around)
      if (!request.visited.contains(c) && taken.insert(c).second) near.push_back(std::move(c));
  }
  if (request.score && near.size() > wanted) {
    std::vector<float> scores(near.size());
    request.score(near, scores);
    std::vector<configuration> ranked;
    for (auto const i : select_diverse(near, scores, wanted, 0)) ranked.push_back(near[i]);
    near = std::move(ranked);
  }
  near.resize(std::min(near.size(), wanted));
  taken = configuration_set(near.begin(), near.end());
  auto fresh = draw_unvisited(*space_, random_, request.visited, taken, request.batch - near.size());
  return detail::mix_batch(slots, std::move(near), std::move(fresh));
}

}}  // namespace ttune::v0
