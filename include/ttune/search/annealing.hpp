// SPDX-License-Identifier: Apache-2.0
// Parallel simulated annealing on a cost model, as in AutoTVM, with local moves, scaled temperatures and restarts.
#pragma once

#include <string>
#include <vector>

#include "ttune/search/batch_selection.hpp"
#include "ttune/search/candidate_ranking.hpp"
#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 {

/// Options of `annealing`.
struct annealing_options {
  enum class cooling : std::uint8_t {
    constant,   ///< `hot` in all steps
    linear,     ///< from `hot` to `cold`
    geometric,  ///< from `hot` to `cold` by a constant ratio
    adaptive    ///< such that the share of accepted moves falls from one half to one in fifty
  };
  int chains = 128;
  int steps = 500;
  cooling schedule = cooling::geometric;
  double hot = 0.5;    ///< temperatures in units of the standard deviation of the scores of random configurations,
  double cold = 0.03;  ///< so that they mean the same for every model
  /// Share of moves to a neighbour; the other moves draw one knob again.
  double local_moves = 0.7;
  double from_best = 0.25;  ///< share of chains that start each round from the best measured configurations
  int restart_after = 60;   ///< a chain restarts after this number of steps without gain; 0: never
  int patience = 100;       ///< a round ends after this number of steps without a change of the best list; 0: never
  /// Share of random trials.
  double exploration = 0.05;
  diversity_policy taste = {};
  bool score_all = true;          ///< if the space is at most chains × steps large, score all of it instead,
  std::uint64_t whole_space = 0;  ///< or if it is at most this large: about one second per million on one core
};

/// Simulated annealing with several chains.
class annealing final : public search_strategy {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  /// Throws argument_error for invalid options.
  explicit annealing(annealing_options options = {});

  [[nodiscard]] std::string name() const override { return "annealing"; }
  void start(sampler const& space, std::uint64_t seed) override;
  /// Proposes random configurations while there is no model; then the candidates with the best scores, best first,
  /// mixed with the planned random trials. The chains continue in the next round. If the model has opinions, each
  /// chain follows one of them, and each slot takes the best candidate of another one.
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override;

  /// Counts of one round of all chains.
  struct round_report {
    std::size_t evaluations = 0;  ///< number of scored configurations
    int steps = 0;
    double acceptance = 0;  ///< share of accepted moves
    float best = 0;         ///< score of the best candidate that was not visited
  };
  [[nodiscard]] round_report const& last_round() const noexcept { return last_; }

 private:
  void place_chains(search_request const& request, detail::candidate_ranking& best);
  void anneal(search_request const& request, detail::candidate_ranking& best);
  void step(search_request const& request, double temperature, detail::candidate_ranking& best);
  void restart(std::size_t chain, search_request const& request);
  void score_all(detail::candidate_ranking& best);
  [[nodiscard]] double temperature_at(int step, double spread) const;

  annealing_options options_;
  sampler const* space_ = nullptr;
  rng random_{0};
  exploration_plan plan_;
  std::vector<configuration> points_;  ///< [chain]
  std::vector<float> scores_;
  std::vector<float> chain_best_;
  std::vector<int> stuck_;  ///< steps since the chain's best score improved
  std::vector<configuration> proposals_;
  std::vector<float> proposal_scores_;
  double spread_ = 1;  ///< standard deviation of the scores of random configurations
  double adaptive_temperature_ = 0;
  std::size_t accepted_ = 0;
  round_report last_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/annealing.inl.hpp"
#endif
