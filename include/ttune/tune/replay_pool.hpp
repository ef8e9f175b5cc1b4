// SPDX-License-Identifier: Apache-2.0
// A strategy whose space is a list of configurations, such as all that were recorded: the model scores all of them
// each round. So a recorded run can be searched again and never asks for what is not there.
#pragma once

#include <string>
#include <vector>

#include "ttune/tune/batch_selection.hpp"
#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

struct replay_pool_options {
  double exploration = 0.05;  ///< share of random trials
  batch_taste taste = {};
  /// As long as nothing succeeded, scores are advice from elsewhere: three quarters of the batch are then drawn among
  /// this share of the candidates, the best by score, the rest among all. 0: the best are taken.
  double advised = 0;
};

class replay_pool final : public search_strategy {
 public:
  // Virtual functions are declared inline: else each file that includes this would emit their bodies.
  /// `candidates` are distinct and valid in the space.
  explicit replay_pool(std::vector<configuration> candidates, replay_pool_options options = {});

  [[nodiscard]] std::string name() const override { return "pool"; }
  TTUNE_INLINE void start(sampler const& space, std::uint64_t seed) override;
  /// Random candidates as long as there is no model; else the best scores, and random ones by plan. Ties at random.
  [[nodiscard]] TTUNE_INLINE std::vector<configuration> propose(search_request const& request) override;

 private:
  std::vector<configuration> draw_advised(std::vector<configuration> all, std::span<float const> scores,
                                          std::size_t count);
  std::vector<configuration> candidates_;
  replay_pool_options options_;
  rng random_{0};
  exploration_plan plan_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/replay_pool.inl.hpp"
#endif
