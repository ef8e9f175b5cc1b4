// SPDX-License-Identifier: Apache-2.0
// Scores the candidates of a batch and keeps the best of them, by one score or by several opinions.
#pragma once

#include <span>
#include <vector>

#include "ttune/search/batch_selection.hpp"
#include "ttune/search/best_list.hpp"
#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The best candidates that a search saw while it looked for one batch. If the request has opinions, each slot of the
/// batch takes the best candidate of another opinion, as a draw of what may be believed: Thompson sampling in batches
/// (Kandasamy et al., "Parallelised Bayesian optimisation via Thompson sampling", AISTATS 2018).
class candidate_ranking {
 public:
  /// Keeps what `take` needs for `wanted` candidates. `request` and `random` must outlive this object.
  candidate_ranking(search_request const& request, diversity_policy const& taste, std::size_t wanted, rng& random);

  /// Writes a score for each configuration, and remembers the best ones. With opinions, configuration i gets the score
  /// of opinion i, modulo their number, so that each chain of a search follows one. A score that is not finite becomes
  /// the worst of the batch.
  void score(std::span<configuration const> batch, std::vector<float>& scores);
  [[nodiscard]] std::size_t evaluations() const noexcept { return evaluations_; }
  /// Returns how often the best ones have changed.
  [[nodiscard]] std::size_t changes() const noexcept;
  /// Returns up to `wanted` distinct candidates that are not visited, the best first. `spread` is the standard
  /// deviation of the scores in the space.
  [[nodiscard]] std::vector<configuration> take(double spread);
  /// Returns the score of the best candidate, after `take`; 0 without one.
  [[nodiscard]] float best() const noexcept { return best_; }

 private:
  /// An opinion that decides about slots of the batch.
  struct listener {
    std::size_t opinion;
    std::uint64_t salt;  ///< breaks ties otherwise than the others do: a tree has the same score for many candidates
    best_list best;
  };
  void replace_broken(std::span<float> scores) const;
  void offer(configuration const& c, std::span<float const> opinions);
  [[nodiscard]] std::vector<configuration> take_in_turn();

  search_request const& request_;
  diversity_policy taste_;
  std::size_t wanted_;
  best_list single_;
  std::vector<listener> listeners_;  ///< empty: there is only one score
  std::vector<float> each_;          ///< [configuration][opinion]
  std::size_t evaluations_ = 0;
  float best_ = 0;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/candidate_ranking.inl.hpp"
#endif
