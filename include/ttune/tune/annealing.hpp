// SPDX-License-Identifier: Apache-2.0
// Parallel simulated annealing on a cost model: AutoTVM's search, with local moves, scaled temperatures and restarts.
#pragma once

#include <string>
#include <vector>

#include "ttune/tune/batch_selection.hpp"
#include "ttune/tune/best_list.hpp"
#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

struct annealing_options {
  enum class cooling : std::uint8_t {
    constant,   ///< `hot` throughout
    linear,     ///< from `hot` to `cold`
    geometric,  ///< the same by a constant ratio
    adaptive    ///< so that the share of accepted moves falls from one half to one in fifty
  };
  int chains = 128;
  int steps = 500;
  cooling schedule = cooling::geometric;
  double hot = 0.5;          ///< temperatures in units of the spread of scores among random configurations,
  double cold = 0.03;        ///< so that they mean the same for every model
  double local_moves = 0.7;  ///< share of moves to a neighbour; the others draw one knob anew
  double from_best = 0.25;   ///< share of chains that start each round from the best measured
  int restart_after = 60;    ///< steps without gain after which a chain starts elsewhere; 0: never
  int patience = 100;  ///< steps in which the list of the best does not change, after which the round ends; 0: never
  double exploration = 0.05;  ///< share of random trials
  batch_taste taste = {};
  bool score_all = true;          ///< where the whole space is no larger than chains × steps, score all of it instead,
  std::uint64_t whole_space = 0;  ///< or than this: about a second a million on one core
};

class annealing final : public search_strategy {
 public:
  // Virtual functions are declared inline: else each file that includes this would emit their bodies.
  /// Throws argument_error for options that make no sense.
  explicit annealing(annealing_options options = {});

  [[nodiscard]] std::string name() const override { return "annealing"; }
  TTUNE_INLINE void start(sampler const& space, std::uint64_t seed) override;
  /// Random draws as long as there is no model. Else the candidates with the best scores, best first, and the random
  /// trials of the plan among them. Chains go on in the next round where they stood.
  [[nodiscard]] TTUNE_INLINE std::vector<configuration> propose(search_request const& request) override;

  struct round_report {
    std::size_t evaluations = 0;  ///< scores asked for
    int steps = 0;
    double acceptance = 0;  ///< share of moves
    float best = 0;         ///< score of the best candidate not visited
  };
  [[nodiscard]] round_report const& last_round() const noexcept { return last_; }

 private:
  void place_chains(search_request const& request);
  void anneal(search_request const& request, detail::best_list& best);
  void step(search_request const& request, double temperature, detail::best_list& best);
  void restart(std::size_t chain, search_request const& request);
  void score_all(search_request const& request, detail::best_list& best);
  void score(search_request const& request, std::span<configuration const> batch, std::vector<float>& scores);
  [[nodiscard]] double temperature_at(int step, double spread) const;

  annealing_options options_;
  sampler const* space_ = nullptr;
  rng random_{0};
  exploration_plan plan_;
  std::vector<configuration> points_;  ///< [chain]
  std::vector<float> scores_;
  std::vector<float> chain_best_;
  std::vector<int> stuck_;  ///< steps since a chain's best rose
  std::vector<configuration> proposals_;
  std::vector<float> proposal_scores_;
  double spread_ = 1;  ///< standard deviation of the scores of random configurations
  double adaptive_temperature_ = 0;
  std::size_t accepted_ = 0;
  round_report last_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/annealing.inl.hpp"
#endif
