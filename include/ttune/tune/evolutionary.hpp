// SPDX-License-Identifier: Apache-2.0
// Evolution on a cost model, Ansor's way (Zheng et al., OSDI 2020): a population is scored, the better are mutated and
// crossed for some generations, and the best that any generation saw are measured.
#pragma once

#include <string>
#include <vector>

#include "ttune/tune/batch_selection.hpp"
#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

struct evolutionary_options {
  std::size_t population = 1024;
  int generations = 6;
  double mutation = 0.85;     ///< share of children that are a parent after a move; the others have two parents
  double local_moves = 0.7;   ///< share of moves to a neighbour; the others draw one knob anew
  double from_best = 0.2;     ///< most of the first generation that are the best measured
  double exploration = 0.05;  ///< share of random trials
};

/// Parents are drawn by rank in their generation's scores: differences of scores mean nothing across models.
class evolutionary_search final : public search_strategy {
 public:
  // Virtual functions are declared inline: else each file that includes this would emit their bodies.
  /// Throws argument_error for options that make no sense.
  explicit evolutionary_search(evolutionary_options options = {});

  [[nodiscard]] std::string name() const override { return "evolutionary"; }
  TTUNE_INLINE void start(sampler const& space, std::uint64_t seed) override;
  /// Random draws as long as there is no model.
  [[nodiscard]] TTUNE_INLINE std::vector<configuration> propose(search_request const& request) override;

 private:
  [[nodiscard]] configuration child(std::vector<configuration> const& ranked);

  evolutionary_options options_;
  sampler const* space_ = nullptr;
  rng random_{0};
  exploration_plan plan_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/evolutionary.inl.hpp"
#endif
