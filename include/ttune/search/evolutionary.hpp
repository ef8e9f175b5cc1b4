// SPDX-License-Identifier: Apache-2.0
// Evolutionary search on a cost model, as in Ansor (Zheng et al., OSDI 2020): a population is scored, better members
// are mutated and crossed for several generations, and the best configurations of all generations are measured.
#pragma once

#include <string>
#include <vector>

#include "ttune/search/batch_selection.hpp"
#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 {

/// Options of `evolutionary_search`.
struct evolutionary_options {
  std::size_t population = 1024;
  int generations = 6;
  double mutation = 0.85;     ///< share of children made by mutating one parent; the others have two parents
  double local_moves = 0.7;   ///< share of moves to a neighbour; the other moves draw one knob again
  double from_best = 0.2;     ///< upper bound on the share of the best measured configurations in the first generation
  double exploration = 0.05;  ///< share of random trials
};

/// Parents are drawn by the rank of their scores in the generation, because differences of scores vary with the model.
class evolutionary_search final : public search_strategy {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  /// Throws argument_error for invalid options.
  explicit evolutionary_search(evolutionary_options options = {});

  [[nodiscard]] std::string name() const override { return "evolutionary"; }
  void start(sampler const& space, std::uint64_t seed) override;
  /// Proposes random configurations while there is no model.
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override;

 private:
  [[nodiscard]] configuration child(std::vector<configuration> const& ranked);

  evolutionary_options options_;
  sampler const* space_ = nullptr;
  rng random_{0};
  exploration_plan plan_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/evolutionary.inl.hpp"
#endif
