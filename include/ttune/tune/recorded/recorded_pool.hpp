// SPDX-License-Identifier: Apache-2.0
// A strategy whose space is a list of configurations, such as all recorded ones; the model scores all of them in each
// round. A recorded run can thus be searched again without asking for unknown configurations.
#pragma once

#include <string>
#include <vector>

#include "ttune/search/batch_selection.hpp"
#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 {

/// Options of `recorded_pool`.
struct recorded_pool_options {
  double exploration = 0.05;  ///< share of random trials
  diversity_policy taste = {};
  /// While nothing has succeeded, scores come from other tasks: three quarters of the batch are drawn from this share
  /// of the candidates, the best by score, the rest from all candidates. 0: the best are taken.
  double advised = 0;
};

/// Selects from a list of configurations.
class recorded_pool final : public search_strategy {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  /// `candidates` must be distinct and valid in the space.
  explicit recorded_pool(std::vector<configuration> candidates, recorded_pool_options options = {});

  [[nodiscard]] std::string name() const override { return "pool"; }
  void start(sampler const& space, std::uint64_t seed) override;
  /// Proposes random candidates while there is no model, then the best scores mixed with planned random ones. Ties are
  /// broken at random. If the model has opinions, each slot takes the best candidate of another one.
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override;

 private:
  std::vector<configuration> draw_advised(std::vector<configuration> all, std::span<float const> scores,
                                          std::size_t count);
  std::vector<configuration> follow_opinions(search_request const& request, std::vector<configuration> const& left,
                                             std::size_t count);
  std::vector<configuration> candidates_;
  recorded_pool_options options_;
  rng random_{0};
  exploration_plan plan_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/recorded/recorded_pool.inl.hpp"
#endif
