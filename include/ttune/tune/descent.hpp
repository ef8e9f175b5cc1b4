// SPDX-License-Identifier: Apache-2.0
// Descent from the incumbent: what lies next to the fastest measured is measured next, the promising first.
#pragma once

#include <string>
#include <vector>

#include "ttune/tune/batch_selection.hpp"
#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

struct descent_options {
  std::size_t incumbents = 4;  ///< whose neighbours are looked at together; more where those are used up
  double exploration = 0.1;    ///< share of random trials: a descent alone ends in the next local optimum
};

/// Works without a model (neighbours in random order, those of the fastest first) and with one (best score first).
class descent final : public search_strategy {
 public:
  // Virtual functions are declared inline: else each file that includes this would emit their bodies.
  explicit descent(descent_options options = {}) : options_(options), plan_(options.exploration) {}

  [[nodiscard]] std::string name() const override { return "descent"; }
  TTUNE_INLINE void start(sampler const& space, std::uint64_t seed) override;
  /// Random draws as long as nothing was measured.
  [[nodiscard]] TTUNE_INLINE std::vector<configuration> propose(search_request const& request) override;

 private:
  descent_options options_;
  sampler const* space_ = nullptr;
  rng random_{0};
  exploration_plan plan_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/descent.inl.hpp"
#endif
