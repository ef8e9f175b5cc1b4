// SPDX-License-Identifier: Apache-2.0
// Uniform draws without repetition: the baseline, and the start of every model.
#pragma once

#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 {

/// Draws configurations at random.
class random_search final : public search_strategy {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  [[nodiscard]] std::string name() const override { return "random"; }
  void start(sampler const& space, std::uint64_t seed) override;
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override;

 private:
  sampler const* space_ = nullptr;
  rng random_{0};
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/random_search.inl.hpp"
#endif
