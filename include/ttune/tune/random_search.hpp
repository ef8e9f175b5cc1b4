// SPDX-License-Identifier: Apache-2.0
// Uniform draws without repetition: the baseline, and what starts every model.
#pragma once

#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

class random_search final : public search_strategy {
 public:
  // Virtual functions are declared inline: else each file that includes this would emit their bodies.
  [[nodiscard]] std::string name() const override { return "random"; }
  TTUNE_INLINE void start(sampler const& space, std::uint64_t seed) override;
  [[nodiscard]] TTUNE_INLINE std::vector<configuration> propose(search_request const& request) override;

 private:
  sampler const* space_ = nullptr;
  rng random_{0};
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/random_search.inl.hpp"
#endif
