// SPDX-License-Identifier: Apache-2.0
// Local search from the incumbents: measures the neighbours of the fastest measured configurations, most promising
// first.
#pragma once

#include <string>
#include <vector>

#include "ttune/search/batch_selection.hpp"
#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 {

/// Options of `descent`.
struct descent_options {
  /// Number of incumbents whose neighbours are considered together; more when those are used up.
  std::size_t incumbents = 4;
  double exploration = 0.1;  ///< share of random trials: descent alone ends in the next local optimum
};

/// Works without a model (neighbours in random order, those of the fastest first) and with one (best score first).
class descent final : public search_strategy {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  explicit descent(descent_options options = {}) : options_(options), plan_(options.exploration) {}

  [[nodiscard]] std::string name() const override { return "descent"; }
  void start(sampler const& space, std::uint64_t seed) override;
  /// Proposes random configurations while nothing was measured.
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override;

 private:
  descent_options options_;
  sampler const* space_ = nullptr;
  rng random_{0};
  exploration_plan plan_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/descent.inl.hpp"
#endif
