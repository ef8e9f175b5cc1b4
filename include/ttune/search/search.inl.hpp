// SPDX-License-Identifier: Apache-2.0
// Draws without repetition, and copies of strategies.
#pragma once

#include "ttune/search/search.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

any_search any_search::another() const {
  if (!another_)
    throw argument_error("the search " + (strategy_ ? strategy_->name() : "(none)") +
                         " cannot be copied: several workloads need one each; pass the strategy by value");
  return another_();
}

std::vector<configuration> draw_unvisited(sampler const& space, rng& random, configuration_set const& visited,
                                          configuration_set& taken, std::size_t count) {
  std::vector<configuration> fresh;
  if (space.empty()) return fresh;
  auto const take = [&](configuration c) {
    if (visited.contains(c) || !taken.insert(c).second) return false;
    fresh.push_back(std::move(c));
    return true;
  };
  constexpr int patience = 100;  // consecutive draws of known configurations: then about 99 % of the space is known
  for (int misses = 0; fresh.size() < count && misses < patience;) misses = take(space.draw(random)) ? 0 : misses + 1;
  constexpr std::uint64_t listable = 10'000'000;
  auto const& size = space.size();
  if (fresh.size() == count || !size.exact || size.count > listable) return fresh;
  auto const n = static_cast<std::uint64_t>(size.count);
  auto const start = random.below(n);
  for (std::uint64_t i = 0; i < n && fresh.size() < count; ++i) take(space.unrank((start + i) % n));
  return fresh;
}

std::vector<configuration> propose_advised(search_strategy& search, search_request const& request) {
  auto const by_advice = request.batch - request.batch / 2;
  auto batch = search.propose({by_advice, request.visited, request.score, request.incumbents});
  if (request.batch == by_advice) return batch;
  auto visited = request.visited;
  visited.insert(batch.begin(), batch.end());
  auto const without = search.propose({request.batch - by_advice, visited, {}, request.incumbents});
  for (std::size_t i = 0; i < without.size(); ++i)
    batch.insert(batch.begin() + static_cast<std::ptrdiff_t>(std::min(2 * i + 1, batch.size())), without[i]);
  return batch;
}

}}  // namespace ttune::v0
