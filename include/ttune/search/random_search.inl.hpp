// SPDX-License-Identifier: Apache-2.0
// Random search.
#pragma once

#include "ttune/search/random_search.hpp"
#include "ttune/search/search.inl.hpp"

namespace ttune { inline namespace v0 {

void random_search::start(sampler const& space, std::uint64_t seed) {
  space_ = &space;
  random_ = rng(seed);
}

std::vector<configuration> random_search::propose(search_request const& request) {
  configuration_set taken;
  return draw_unvisited(*space_, random_, request.visited, taken, request.batch);
}

}}  // namespace ttune::v0
