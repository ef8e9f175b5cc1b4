// SPDX-License-Identifier: Apache-2.0
// Genetic search without a model, as in Tensor Comprehensions: the fastest measured configurations are crossed and
// mutated.
#pragma once

#include <string>
#include <vector>

#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 {

/// Options of `genetic_search`.
struct genetic_options {
  std::size_t population = 100;  ///< number of parents, the fastest measured; draws are random until there are so many
  double mutation = 0.3;         ///< probability that a child is mutated
  double exploration = 0.05;     ///< probability of a random draw instead of a child
};

/// Parents are drawn by rank: the fastest is twice as likely as the median.
class genetic_search final : public search_strategy {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  explicit genetic_search(genetic_options options = {}) : options_(options) {}

  [[nodiscard]] std::string name() const override { return "genetic"; }
  void start(sampler const& space, std::uint64_t seed) override;
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override;

 private:
  [[nodiscard]] configuration child(std::span<observation const> parents);

  genetic_options options_;
  sampler const* space_ = nullptr;
  rng random_{0};
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/genetic.inl.hpp"
#endif
