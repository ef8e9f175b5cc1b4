// SPDX-License-Identifier: Apache-2.0
// Every configuration once, in the order of their numbers: for spaces of hundreds.
#pragma once

#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

/// Spaces whose configurations have no numbers (size not exact) are drawn from at random instead.
class grid_search final : public search_strategy {
 public:
  // Virtual functions are declared inline: else each file that includes this would emit their bodies.
  [[nodiscard]] std::string name() const override { return "grid"; }
  TTUNE_INLINE void start(sampler const& space, std::uint64_t seed) override;
  [[nodiscard]] TTUNE_INLINE std::vector<configuration> propose(search_request const& request) override;

 private:
  sampler const* space_ = nullptr;
  rng random_{0};
  uint128 next_ = 0;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/grid_search.inl.hpp"
#endif
