// SPDX-License-Identifier: Apache-2.0
// Exhaustive search: every configuration once, in the order of the numbers; for spaces of hundreds of configurations.
#pragma once

#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 {

/// If the configurations of a space have no numbers (its size is not exact), they are drawn at random.
class grid_search final : public search_strategy {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  [[nodiscard]] std::string name() const override { return "grid"; }
  void start(sampler const& space, std::uint64_t seed) override;
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override;

 private:
  sampler const* space_ = nullptr;
  rng random_{0};
  uint128 next_ = 0;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/grid_search.inl.hpp"
#endif
