// SPDX-License-Identifier: Apache-2.0
// Grid search.
#pragma once

#include "ttune/search/grid_search.hpp"
#include "ttune/search/search.inl.hpp"

namespace ttune { inline namespace v0 {

void grid_search::start(sampler const& space, std::uint64_t seed) {
  space_ = &space;
  random_ = rng(seed);
  next_ = 0;
}

std::vector<configuration> grid_search::propose(search_request const& request) {
  std::vector<configuration> batch;
  auto const& size = space_->size();
  if (!size.exact || size.saturated) {
    configuration_set taken;
    return draw_unvisited(*space_, random_, request.visited, taken, request.batch);
  }
  while (batch.size() < request.batch && next_ < size.count)
    if (auto c = space_->unrank(next_++); !request.visited.contains(c)) batch.push_back(std::move(c));
  return batch;
}

}}  // namespace ttune::v0
